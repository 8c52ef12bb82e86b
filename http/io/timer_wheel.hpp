// A hashed timer wheel: deadlines without a system timer for each operation. Moving a deadline
// further away is one store; the wheel visits each entry about once a turn.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "base/time.hpp"

namespace bellows::http {

class TimerWheel;

/// An entry of the wheel, whose on_expiry() is called when its deadline has passed. It is neither
/// copied nor moved, and leaves the wheel when destroyed. Owner: the object that waits.
class Timer {
 public:
  explicit Timer(TimerWheel& timers) : timers_(timers) {}
  virtual ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Sets the deadline. on_expiry() is called once, within a tick after `at`, unless the deadline
  /// is moved or cleared before.
  void set_deadline(TimePoint at);
  void clear_deadline();
  TimePoint deadline() const { return at_; }

 protected:
  virtual void on_expiry() = 0;

 private:
  friend class TimerWheel;

  TimerWheel& timers_;
  TimePoint at_ = TimePoint::max();
  Timer* previous_ = nullptr;
  Timer* next_ = nullptr;
  std::uint64_t tick_ = 0;  // tick of its bucket
  bool is_linked_ = false;
};

/// The owner (the Reactor) calls advance() at next_expiry(). Thread: the io thread.
class TimerWheel {
 public:
  static constexpr Duration kTick = std::chrono::milliseconds(50);

  /// `sooner` is called whenever next_expiry() becomes earlier.
  explicit TimerWheel(std::function<void()> sooner = [] {}) : sooner_(std::move(sooner)) {}

  /// Returns when advance() is due next: the time of the nearest bucket that is not empty, at most
  /// a turn of the wheel away; TimePoint::max() if all are empty.
  TimePoint next_expiry() const;

  /// Calls on_expiry() of all entries that are due at `now`. They may change any deadline.
  void advance(TimePoint now);

  /// Returns the number of entries in the wheel; one whose deadline was cleared may stay for a
  /// turn.
  std::size_t size() const { return size_; }

 private:
  friend class Timer;
  static constexpr std::size_t kBuckets = 256;  // 12.8 s a turn
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t tick_of(TimePoint at);
  void link(Timer& entry);
  void unlink(Timer& entry);
  void sweep(std::uint64_t tick, TimePoint now);
  void find_next_expiry();

  std::function<void()> sooner_;
  std::array<Timer*, kBuckets> buckets_{};
  std::uint64_t current_ = 0;  // ticks up to this one are swept
  std::uint64_t next_expiry_ = kNever;
  std::size_t size_ = 0;
  Timer* cursor_ = nullptr;  // next entry of the running sweep
};

}  // namespace bellows::http
