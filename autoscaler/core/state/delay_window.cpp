#include "autoscaler/core/state/delay_window.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler {
namespace {

/// The oldest slot that a window of `delay` still holds at `now`.
std::int32_t oldest_slot(TimePoint now, Duration delay) {
  const auto slots = (delay + kEvaluationPeriod - Duration(1)) / kEvaluationPeriod;
  return DelayWindow::slot_of(now) - static_cast<std::int32_t>(slots) + 1;
}

}  // namespace

std::int32_t DelayWindow::slot_of(TimePoint at) {
  return static_cast<std::int32_t>(at.time_since_epoch() / kEvaluationPeriod);
}

void DelayWindow::record(TimePoint now, PodCount pods, Duration delay) {
  forget_before(oldest_slot(now, delay));
  const std::int32_t slot = slot_of(now);
  const bool is_covered = std::cmp_less(first_, queue_.size()) && queue_.back().slot == slot &&
                          queue_.back().pods >= pods;
  if (is_covered) return;
  while (std::cmp_less(first_, queue_.size()) && queue_.back().pods <= pods) queue_.pop_back();
  queue_.push_back({slot, pods});
}

PodCount DelayWindow::max(TimePoint now, Duration delay) const {
  const std::int32_t oldest = oldest_slot(now, delay);
  for (auto entry = queue_.begin() + first_; entry != queue_.end(); ++entry) {
    if (entry->slot >= oldest) return entry->pods;
  }
  return 0;
}

void DelayWindow::forget_before(std::int32_t oldest) {
  const auto size = static_cast<std::ptrdiff_t>(queue_.size());
  while (first_ < size && queue_[static_cast<std::size_t>(first_)].slot < oldest) ++first_;
  if (2 * first_ < size) return;
  queue_.erase(queue_.begin(), queue_.begin() + first_);
  first_ = 0;
}

void DelayWindow::clear() {
  queue_.clear();
  first_ = 0;
}

void DelayWindow::restore(std::vector<Entry> entries) {
  queue_ = std::move(entries);
  first_ = 0;
}

}  // namespace bellows::autoscaler
