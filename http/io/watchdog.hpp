// Deadlines without a timer per operation: a wheel of ticks. Moving a deadline further away is one
// store; each entry is looked at about once per turn of the wheel.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "base/time.hpp"

namespace bellows::http {

class Watchdog;

/// Something that has to be told when an instant has passed. Owner: whoever waits. Not copied, not
/// moved; leaves its watchdog when destroyed.
class Deadline {
 public:
  explicit Deadline(Watchdog& watchdog) : watchdog_(watchdog) {}
  virtual ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// on_deadline() comes once, within a tick after `at`, unless moved or cleared before.
  void set_deadline(TimePoint at);
  void clear_deadline();
  TimePoint deadline() const { return at_; }

 protected:
  virtual void on_deadline() = 0;

 private:
  friend class Watchdog;

  Watchdog& watchdog_;
  TimePoint at_ = TimePoint::max();
  Deadline* previous_ = nullptr;
  Deadline* next_ = nullptr;
  std::uint64_t tick_ = 0;  // of the bucket it is in
  bool is_linked_ = false;
};

/// Thread: the io thread. Whoever owns it calls advance() when next_look() has come (the Reactor
/// does).
class Watchdog {
 public:
  static constexpr Duration kTick = std::chrono::milliseconds(50);

  /// `sooner` is called whenever next_look() has moved nearer.
  explicit Watchdog(std::function<void()> sooner = [] {}) : sooner_(std::move(sooner)) {}

  /// When advance() has something to look at: the nearest bucket that is not empty, at most a turn
  /// of the wheel away; TimePoint::max() if there is none.
  TimePoint next_look() const;

  /// Calls on_deadline() of all that are due at `now`. They may change any deadline meanwhile.
  void advance(TimePoint now);

  /// Entries in the wheel; one whose deadline was cleared may stay for a turn.
  std::size_t size() const { return size_; }

 private:
  friend class Deadline;
  static constexpr std::size_t kBuckets = 256;  // 12.8 s a turn
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t tick_of(TimePoint at);
  void link(Deadline& entry);
  void unlink(Deadline& entry);
  void sweep(std::uint64_t tick, TimePoint now);
  void find_next_look();

  std::function<void()> sooner_;
  std::array<Deadline*, kBuckets> buckets_{};
  std::uint64_t current_ = 0;  // ticks up to here were swept
  std::uint64_t next_look_ = kNever;
  std::size_t size_ = 0;
  Deadline* cursor_ = nullptr;  // next entry of the running sweep
};

}  // namespace bellows::http
