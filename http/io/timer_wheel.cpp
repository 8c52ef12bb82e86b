#include "http/io/timer_wheel.hpp"

#include <algorithm>

namespace bellows::http {

Timer::~Timer() {
  if (is_linked_) timers_.unlink(*this);
}

void Timer::set_deadline(TimePoint at) {
  at_ = at;
  if (at == TimePoint::max()) return;
  // An entry with a later deadline stays in its earlier bucket, and the sweep moves it.
  if (is_linked_ && TimerWheel::tick_of(at) >= tick_) return;
  if (is_linked_) timers_.unlink(*this);
  timers_.link(*this);
}

void Timer::clear_deadline() {
  at_ = TimePoint::max();
}

std::uint64_t TimerWheel::tick_of(TimePoint at) {
  return static_cast<std::uint64_t>(at.time_since_epoch() / kTick);
}

void TimerWheel::link(Timer& entry) {
  // The bucket is between the next tick and one turn ahead.
  entry.tick_ = std::clamp(tick_of(entry.at_), current_ + 1, current_ + kBuckets - 1);
  Timer*& first = buckets_[entry.tick_ % kBuckets];
  entry.previous_ = nullptr;
  entry.next_ = first;
  if (first != nullptr) first->previous_ = &entry;
  first = &entry;
  entry.is_linked_ = true;
  ++size_;
  if (entry.tick_ >= next_expiry_) return;
  next_expiry_ = entry.tick_;
  sooner_();
}

void TimerWheel::unlink(Timer& entry) {
  if (cursor_ == &entry) cursor_ = entry.next_;
  if (entry.next_ != nullptr) entry.next_->previous_ = entry.previous_;
  if (entry.previous_ != nullptr) {
    entry.previous_->next_ = entry.next_;
  } else {
    buckets_[entry.tick_ % kBuckets] = entry.next_;
  }
  entry.previous_ = entry.next_ = nullptr;
  entry.is_linked_ = false;
  --size_;
}

void TimerWheel::advance(TimePoint now) {
  const std::uint64_t target = tick_of(now);
  // After a long pause every bucket is swept once.
  const std::uint64_t first = std::max(current_ + 1, target < kBuckets ? 0 : target - kBuckets + 1);
  for (std::uint64_t tick = first; tick <= target; ++tick) {
    current_ = tick;
    sweep(tick, now);
  }
  find_next_expiry();
}

TimePoint TimerWheel::next_expiry() const {
  if (next_expiry_ == kNever) return TimePoint::max();
  return TimePoint(kTick * static_cast<std::int64_t>(next_expiry_));
}

void TimerWheel::find_next_expiry() {
  next_expiry_ = kNever;
  for (std::uint64_t tick = current_ + 1; tick < current_ + kBuckets; ++tick) {
    if (buckets_[tick % kBuckets] == nullptr) continue;
    next_expiry_ = tick;
    return;
  }
}

void TimerWheel::sweep(std::uint64_t tick, TimePoint now) {
  cursor_ = buckets_[tick % kBuckets];
  while (cursor_ != nullptr) {
    Timer& entry = *cursor_;
    cursor_ = entry.next_;
    unlink(entry);
    if (entry.at_ <= now) {
      entry.at_ = TimePoint::max();
      entry.on_expiry();
    } else if (entry.at_ != TimePoint::max()) {
      link(entry);
    }
  }
}

}  // namespace bellows::http
