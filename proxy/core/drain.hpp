// Graceful termination: when may this process exit, and when does a drain turn out to be none?
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::proxy {

/// Each state lists the states that may follow.
enum class DrainState : std::uint8_t {
  kServing,   ///< -> kDraining
  kDraining,  ///< not ready; requests in flight and in the queue finish -> kDone, kServing
  kDone,      ///< no request is left and none comes, or the time is over -> kDraining, kServing
};

/// Who says that this replica is to end. Later ones are surer.
enum class DrainCause : std::uint8_t {
  kAppHook,  ///< the hook of the app's container: also runs before the app alone is restarted
  kPodHook,  ///< the hook of the queue-proxy's own container
  kSignal,   ///< SIGTERM or SIGINT
};

struct DrainTimes {
  Duration timeout{};  ///< how long requests may take to finish; zero: they are aborted at once
  Duration quiet{};    ///< without a new request or connection; zero: it does not wait for that
  /// A drain that a hook of the app began is undone after this time without a surer cause: only
  /// the app was told to end.
  Duration app_hook_doubt = std::chrono::seconds(10);
  /// The same for a hook of the own container, from the end of `timeout`: what it announced would
  /// have killed this process by then.
  Duration pod_hook_doubt = std::chrono::seconds(30);
};

/// It ends as soon as no request is left and, where the cluster goes on sending new connections for
/// a while (every node follows an EndpointSlice in its own time), none has come for `quiet`. Unlike
/// Knative's, the quiet time is no fixed 30 s.
class Drain {
 public:
  explicit Drain(DrainTimes times) : times_(times) {}

  /// A repeated start changes nothing except that a surer cause makes it surer.
  void start(DrainCause cause, TimePoint now) {
    if (!started_) started_ = now;
    cause_ = std::max(cause_, cause);
  }
  bool is_draining() const { return started_.has_value(); }

  /// A request that is no probe, or a connection, came at `at`.
  void note_arrival(TimePoint at) { last_arrival_ = std::max(last_arrival_, at); }

  /// `open_requests`: in flight or in the queue.
  DrainState state(std::int64_t open_requests, TimePoint now) const {
    if (!started_) return DrainState::kServing;
    if (now >= *started_ + times_.timeout) return DrainState::kDone;
    const bool is_quiet = now >= std::max(*started_, last_arrival_) + times_.quiet;
    return open_requests == 0 && is_quiet ? DrainState::kDone : DrainState::kDraining;
  }

  /// When the remaining requests are aborted; nullopt: not draining.
  std::optional<TimePoint> deadline() const {
    if (!started_) return std::nullopt;
    return *started_ + times_.timeout;
  }

  /// A hook began the drain, it is done, and what the hook announced did not come: undo() it.
  bool is_refuted(std::int64_t open_requests, TimePoint now) const {
    if (!started_ || cause_ == DrainCause::kSignal) return false;
    const Duration doubt = cause_ == DrainCause::kAppHook ? times_.app_hook_doubt
                                                          : times_.timeout + times_.pod_hook_doubt;
    return now >= *started_ + doubt && state(open_requests, now) == DrainState::kDone;
  }
  /// Serves again.
  void undo() {
    started_.reset();
    cause_ = DrainCause::kAppHook;
  }

 private:
  const DrainTimes times_;
  std::optional<TimePoint> started_;
  DrainCause cause_ = DrainCause::kAppHook;
  TimePoint last_arrival_{};
};

}  // namespace bellows::proxy
