// The rate limit of a client on its own calls, with priorities.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.hpp"

namespace bellows::kubernetes {

/// Which calls go first where they have to wait.
enum class Priority : std::uint8_t {
  kOrder,   ///< changes what runs: scale
  kRead,    ///< lists, watches, look-ups
  kReport,  ///< status and events
};

struct CallLimits {
  double per_second = 50;  ///< on average
  int burst = 100;         ///< at once, after a rest
  /// Calls under way at once. Reads get three quarters of it and reports half, so that a server
  /// that answers neither does not keep orders from it.
  int under_way = 32;
};

/// A token bucket with three queues. Calls of the same priority go in the order of their coming.
class CallLimiter {
 public:
  using Ticket = std::uint64_t;

  explicit CallLimiter(CallLimits limits) : limits_(limits), tokens_(limits.burst) {}

  /// A call waits to be admitted. Then finished() is due; if it gives up before, withdraw().
  Ticket enqueue(Priority priority);
  void withdraw(Ticket ticket);
  void finished(Priority priority);

  /// The call that may go now, if there is one.
  std::optional<Ticket> admit(TimePoint now);
  /// When a call can be admitted that cannot be now; nothing: none waits for time alone.
  std::optional<TimePoint> next_at(TimePoint now);

 private:
  static constexpr std::size_t kPriorities = 3;

  void refill(TimePoint now);
  /// The first priority with a call that may go as far as calls under way are concerned.
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
