#include "autoscaler/core/gaps.hpp"

#include <algorithm>

namespace bellows::autoscaler {

void Gaps::record(TimePoint before, TimePoint load, Duration min) {
  const bool is_first = !has_seen_a_call_;
  if (!is_first && load - before <= min) return;
  if (!is_first) {
    add(static_cast<float>(to_seconds(load - before)),
        static_cast<float>(to_seconds(load - begun_)));
  }
  has_seen_a_call_ = true;
  begun_ = load;
}

void Gaps::add(float gap, float period) {
  gaps_[next_] = gap;
  periods_[next_] = period;
  next_ = static_cast<std::uint8_t>((next_ + 1) % kKept);
  size_ = static_cast<std::uint8_t>(std::min<std::size_t>(size_ + 1, kKept));
}

std::vector<Gaps::Known> Gaps::oldest_first() const {
  std::vector<Known> known;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t place = (next_ + kKept - size_ + i) % kKept;
    known.push_back({gaps_[place], periods_[place]});
  }
  return known;
}

void Gaps::restore(std::span<const Known> oldest_first, TimePoint begun) {
  *this = {};
  for (const auto& [gap, period] : oldest_first) add(gap, period);
  has_seen_a_call_ = true;
  begun_ = begun;
}

bool Gaps::operator==(const Gaps& other) const {
  return has_seen_a_call_ == other.has_seen_a_call_ && begun_ == other.begun_ &&
         oldest_first() == other.oldest_first();
}

}  // namespace bellows::autoscaler
