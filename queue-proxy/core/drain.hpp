// Graceful termination: when may this process exit?
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// Each state lists the states that may follow.
enum class DrainState : std::uint8_t {
  kServing,   ///< -> kDraining
  kDraining,  ///< not ready; requests in flight and in the queue finish -> kDone
  kDone,      ///< no request is left, or the time is over
};

/// Unlike Knative's there is no fixed quiet period: it ends as soon as no request is left.
class Drain {
 public:
  /// `timeout`: how long requests may take to finish; zero: they are aborted at once.
  explicit Drain(Duration timeout) : timeout_(timeout) {}

  void start(TimePoint now) {
    if (!started_) started_ = now;
  }
  bool is_draining() const { return started_.has_value(); }

  /// `open_requests`: in flight or in the queue.
  DrainState state(std::int64_t open_requests, TimePoint now) const {
    if (!started_) return DrainState::kServing;
    if (open_requests == 0 || is_overdue(now)) return DrainState::kDone;
    return DrainState::kDraining;
  }

  /// When the remaining requests are aborted; nullopt: not draining.
  std::optional<TimePoint> deadline() const {
    if (!started_) return std::nullopt;
    return *started_ + timeout_;
  }

 private:
  bool is_overdue(TimePoint now) const {
    const auto limit = deadline();
    return limit && now >= *limit;
  }

  const Duration timeout_;
  std::optional<TimePoint> started_;
};

}  // namespace bellows::queue_proxy
