// Leaving without hurting anybody: when may this process end?
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::queue_proxy {

/// Each state lists the states that may follow.
enum class DrainState : std::uint8_t {
  kServing,   ///< -> kDraining
  kDraining,  ///< unready; what is in flight or waiting finishes -> kDone
  kDone,      ///< empty, or out of time
};

/// Unlike Knative's there is no fixed quiet period: it is done as soon as it is empty.
class Drain {
 public:
  /// `timeout`: the longest that work in flight may take; zero: it is cut at once.
  explicit Drain(Duration timeout) : timeout_(timeout) {}

  void start(TimePoint now) {
    if (!started_) started_ = now;
  }
  bool is_draining() const { return started_.has_value(); }

  /// `open_requests`: in flight and waiting together.
  DrainState state(std::int64_t open_requests, TimePoint now) const {
    if (!started_) return DrainState::kServing;
    if (open_requests == 0 || out_of_time(now)) return DrainState::kDone;
    return DrainState::kDraining;
  }

  /// Until when work may go on; nullopt: not draining.
  std::optional<TimePoint> deadline() const {
    if (!started_) return std::nullopt;
    return *started_ + timeout_;
  }

 private:
  bool out_of_time(TimePoint now) const {
    const auto limit = deadline();
    return limit && now >= *limit;
  }

  const Duration timeout_;
  std::optional<TimePoint> started_;
};

}  // namespace bellows::queue_proxy
