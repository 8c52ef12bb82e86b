#include "http/io/watchdog.hpp"

#include <algorithm>

namespace bellows::http {

Deadline::~Deadline() {
  if (is_linked_) watchdog_.unlink(*this);
}

void Deadline::set_deadline(TimePoint at) {
  at_ = at;
  if (at == TimePoint::max()) return;
  // A later deadline waits in its earlier bucket: the sweep moves it on.
  if (is_linked_ && Watchdog::tick_of(at) >= tick_) return;
  if (is_linked_) watchdog_.unlink(*this);
  watchdog_.link(*this);
}

void Deadline::clear_deadline() {
  at_ = TimePoint::max();
}

std::uint64_t Watchdog::tick_of(TimePoint at) {
  return static_cast<std::uint64_t>(at.time_since_epoch() / kTick);
}

void Watchdog::link(Deadline& entry) {
  // At least the next tick, at most one turn ahead.
  entry.tick_ = std::clamp(tick_of(entry.at_), current_ + 1, current_ + kBuckets - 1);
  Deadline*& first = buckets_[entry.tick_ % kBuckets];
  entry.previous_ = nullptr;
  entry.next_ = first;
  if (first != nullptr) first->previous_ = &entry;
  first = &entry;
  entry.is_linked_ = true;
  ++size_;
  if (entry.tick_ >= next_look_) return;
  next_look_ = entry.tick_;
  sooner_();
}

void Watchdog::unlink(Deadline& entry) {
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

void Watchdog::advance(TimePoint now) {
  const std::uint64_t target = tick_of(now);
  // After a long pause every bucket is swept once.
  const std::uint64_t first = std::max(current_ + 1, target < kBuckets ? 0 : target - kBuckets + 1);
  for (std::uint64_t tick = first; tick <= target; ++tick) {
    current_ = tick;
    sweep(tick, now);
  }
  find_next_look();
}

TimePoint Watchdog::next_look() const {
  if (next_look_ == kNever) return TimePoint::max();
  return TimePoint(kTick * static_cast<std::int64_t>(next_look_));
}

void Watchdog::find_next_look() {
  next_look_ = kNever;
  for (std::uint64_t tick = current_ + 1; tick < current_ + kBuckets; ++tick) {
    if (buckets_[tick % kBuckets] == nullptr) continue;
    next_look_ = tick;
    return;
  }
}

void Watchdog::sweep(std::uint64_t tick, TimePoint now) {
  cursor_ = buckets_[tick % kBuckets];
  while (cursor_ != nullptr) {
    Deadline& entry = *cursor_;
    cursor_ = entry.next_;
    unlink(entry);
    if (entry.at_ <= now) {
      entry.at_ = TimePoint::max();
      entry.on_deadline();
    } else if (entry.at_ != TimePoint::max()) {
      link(entry);
    }
  }
}

}  // namespace bellows::http
