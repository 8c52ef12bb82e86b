// A concurrency limit with a bounded line in front of it. Strict FIFO: whoever comes later never
// overtakes, unlike Knative's (knative.md 4.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "proxy/core/drain_rate.hpp"
#include "proxy/core/waiting_line.hpp"

namespace bellows::proxy {

class Breaker;

/// The right to run one request; given back by its end. Empty after a move.
class Slot {
 public:
  Slot() = default;
  Slot(Slot&& other) noexcept : breaker_(std::exchange(other.breaker_, nullptr)) {}
  Slot& operator=(Slot&& other) noexcept;
  ~Slot() { release(); }

  explicit operator bool() const { return breaker_ != nullptr; }
  void release();

 private:
  friend class Breaker;
  explicit Slot(Breaker* breaker) : breaker_(breaker) {}

  Breaker* breaker_ = nullptr;
};

/// A request in a breaker's line. Once it is its turn it owns a slot, given back by its end unless
/// somebody took it.
class BreakerTicket : public Ticket {
 public:
  bool was_granted() const { return static_cast<bool>(slot_); }
  bool has_expired() const { return has_expired_; }
  /// Empty unless granted.
  Slot take_slot() { return std::move(slot_); }

 protected:
  /// Granted or expired: take note, wake somebody; do not call the breaker.
  virtual void on_turn() = 0;

 private:
  friend class Breaker;
  void on_granted() final { on_turn(); }
  void on_expired() final {
    has_expired_ = true;
    on_turn();
  }

  Slot slot_;
  bool has_expired_ = false;
};

/// How many run at once; nullopt: no limit; 0: nobody, all wait.
using SlotCount = std::optional<std::int64_t>;

struct BreakerLimits {
  SlotCount slots;
  LineLimits line;
};

/// Owner: a gate. Outlives its slots and tickets.
class Breaker {
 public:
  /// kInvalidSetting naming the value: negative slots, a line of less than one (case 94).
  static Result<void> check(const BreakerLimits& limits);

  explicit Breaker(BreakerLimits limits);

  /// A slot at once if one is free and nobody waits; else an empty one.
  Slot try_enter(TimePoint now);

  /// To the end of the line with `bytes` of memory held. nullopt: joined. Else: which bound.
  std::optional<LineFull> wait(BreakerTicket& ticket, std::size_t bytes, TimePoint now);
  /// Somebody has waited until now, and has its slot: for the rate at which they become free, since
  /// a slot that is given back knows no time.
  void note_turn(TimePoint now) { drain_rate_.pass(true, now); }
  /// Tells those who have waited too long.
  std::size_t expire(TimePoint now);
  TimePoint expiry(TimePoint joined) const { return line_.expiry(joined); }

  /// More slots let the first in line in at once; fewer take effect as requests end.
  void set_slots(SlotCount slots, TimePoint now);
  void set_line(LineLimits limits) { line_.set_limits(limits); }

  SlotCount slots() const { return slots_; }
  std::int64_t running() const { return running_; }
  std::int64_t waiting() const { return line_.count(); }
  const WaitingLine& line() const { return line_; }
  /// For the Retry-After of a refused request: 1 to 60.
  int retry_after_seconds(TimePoint now) const;

 private:
  friend class Slot;
  bool has_room() const { return !slots_ || running_ < *slots_; }
  void give_back();
  void fill();

  SlotCount slots_;
  std::int64_t running_ = 0;
  WaitingLine line_;
  DrainRate drain_rate_;
};

}  // namespace bellows::proxy
