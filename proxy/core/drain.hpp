// Graceful termination: decides when this process may exit, and when to undo a drain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::proxy {

/// Each state lists the states that may follow.
enum class DrainState : std::uint8_t {
  kServing,   ///< -> kDraining
  kDraining,  ///< not ready; requests in flight and in the queue continue -> kDone, kServing
  kDone,      ///< no request is left and none arrives, or the time is over -> kDraining, kServing
};

/// The source of the order to end. Later values are more certain.
enum class DrainCause : std::uint8_t {
  kAppHook,  ///< a hook of the app's container, which also runs when only the app restarts
  kPodHook,  ///< a hook of the queue-proxy's own container
  kSignal,   ///< SIGTERM or SIGINT
};

struct DrainTimes {
  Duration timeout{};  ///< time for requests in flight; zero: they are aborted at once
  Duration quiet{};    ///< required time without a new request or connection; zero: none
  /// A drain that began with a hook of the app is undone after this time without a more certain
  /// cause, because only the app was stopped.
  Duration app_hook_doubt = std::chrono::seconds(10);
  /// A drain that began with a hook of the own container is undone this long after the end of
  /// `timeout`, because the announced stop would have killed this process by then.
  Duration pod_hook_doubt = std::chrono::seconds(30);
};

/// Ends as soon as no request is left and no new connection has arrived for `quiet`. The cluster
/// may send new connections for a while, because every node applies an EndpointSlice in its own
/// time. Knative waits a fixed 30 s instead.
class Drain {
 public:
  explicit Drain(DrainTimes times) : times_(times) {}

  /// Starts the drain. A repeated start can only raise the certainty of the cause.
  void start(DrainCause cause, TimePoint now) {
    if (!started_) started_ = now;
    cause_ = std::max(cause_, cause);
  }
  bool is_draining() const { return started_.has_value(); }

  /// Records a request that is no probe, or a connection, at `at`.
  void note_arrival(TimePoint at) { last_arrival_ = std::max(last_arrival_, at); }

  /// Returns the state. `open_requests` counts requests in flight and in the queue.
  DrainState state(std::int64_t open_requests, TimePoint now) const {
    if (!started_) return DrainState::kServing;
    if (now >= *started_ + times_.timeout) return DrainState::kDone;
    const bool is_quiet = now >= std::max(*started_, last_arrival_) + times_.quiet;
    return open_requests == 0 && is_quiet ? DrainState::kDone : DrainState::kDraining;
  }

  /// Returns when the remaining requests are aborted; nullopt if not draining.
  std::optional<TimePoint> deadline() const {
    if (!started_) return std::nullopt;
    return *started_ + times_.timeout;
  }

  /// Returns true if a hook began the drain, the drain is done, and the stop that the hook
  /// announced did not happen. The caller then calls undo().
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
