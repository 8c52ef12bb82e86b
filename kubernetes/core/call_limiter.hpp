// Limits the rate of a client's own calls, with priorities.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.hpp"

namespace bellows::kubernetes {

/// Priority of waiting calls, the highest first.
enum class Priority : std::uint8_t {
  kOrder,   ///< changes of running objects: scale
  kRead,    ///< lists, watches, look-ups
  kReport,  ///< status and events
};

struct CallLimits {
  double per_second = 50;  ///< average rate
  int burst = 100;         ///< calls at once, after a pause
  /// Maximum of concurrent calls. Reads get three quarters of it and reports half, so that a server
  /// that answers neither does not block orders.
  int under_way = 32;
};

/// A token bucket with three queues. Calls of the same priority are admitted in order of arrival.
class CallLimiter {
 public:
  using Ticket = std::uint64_t;

  explicit CallLimiter(CallLimits limits) : limits_(limits), tokens_(limits.burst) {}

  /// Adds a waiting call. After its admission the caller calls finished(); if it gives up before,
  /// withdraw().
  Ticket enqueue(Priority priority);
  void withdraw(Ticket ticket);
  void finished(Priority priority);

  /// Returns a call that may be sent now, if there is one.
  std::optional<Ticket> admit(TimePoint now);
  /// Returns when a call that has to wait now can be admitted; nullopt if none waits only for time.
  std::optional<TimePoint> next_at(TimePoint now);

 private:
  static constexpr std::size_t kPriorities = 3;

  void refill(TimePoint now);
  /// Returns the highest priority with a call that the limit of concurrent calls allows.
  std::optional<std::size_t> eligible() const;
  int under_way() const;

  CallLimits limits_;
  double tokens_;
  std::optional<TimePoint> refilled_at_;
  Ticket last_ticket_ = 0;
  std::array<std::deque<Ticket>, kPriorities> waiting_;
  std::array<int, kPriorities> under_way_{};
};

}  // namespace bellows::kubernetes
