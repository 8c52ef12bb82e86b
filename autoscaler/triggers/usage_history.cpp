#include "autoscaler/triggers/usage_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::triggers {

Point point_of(double usage) {
  constexpr double kMost = 2000;
  if (std::isnan(usage)) return kUnknownPoint;
  return static_cast<Point>(std::lround(std::clamp(usage, 0.0, kMost) * 1e6));
}

void UsageHistory::resize(std::int32_t capacity) {
  if (capacity == this->capacity()) return;
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(capacity));
  const std::int32_t kept = std::min(size_, capacity);
  for (std::int32_t age = kept - 1; age >= 0; --age) points.push_back(at(age));
  points.resize(static_cast<std::size_t>(capacity), 0);
  ring_ = std::move(points);
  size_ = kept;
  newest_ = std::max(0, kept - 1);
}

void UsageHistory::push(Point point) {
  if (ring_.empty()) return;
  if (size_ > 0) newest_ = newest_ + 1 == capacity() ? 0 : newest_ + 1;
  ring_[static_cast<std::size_t>(newest_)] = point;
  size_ = std::min(size_ + 1, capacity());
}

Point UsageHistory::at(std::int32_t age) const {
  const std::int32_t index = newest_ - age;
  return ring_[static_cast<std::size_t>(index < 0 ? index + capacity() : index)];
}

bool UsageHistory::operator==(const UsageHistory& other) const {
  if (size_ != other.size_) return false;
  for (std::int32_t age = 0; age < size_; ++age) {
    if (at(age) != other.at(age)) return false;
  }
  return true;
}

std::int32_t Beyond::count_with(Point point, const UsageHistory& history) const {
  const bool is_full = history.size() >= window;
  const bool leaves = is_full && window > 0 && counts(history.at(window - 1));
  return count + (counts(point) ? 1 : 0) - (leaves ? 1 : 0);
}

void Beyond::recount(const UsageHistory& history) {
  count = 0;
  const std::int32_t known = std::min(window, history.size());
  for (std::int32_t age = 0; age < known; ++age) count += counts(history.at(age)) ? 1 : 0;
}

}  // namespace bellows::autoscaler::triggers
