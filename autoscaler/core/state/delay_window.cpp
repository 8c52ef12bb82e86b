#include "autoscaler/core/state/delay_window.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

/// Returns the first entry that a window of `delay` still holds at `now`.
auto first_held(const std::vector<DelayWindow::Entry>& entries, TimePoint now, Duration delay) {
  const auto slots = (delay + kEvaluationPeriod - Duration(1)) / kEvaluationPeriod;
  const auto oldest = DelayWindow::slot_of(now) - static_cast<std::int32_t>(slots) + 1;
  return std::ranges::find_if(entries, [&](const auto& entry) { return entry.slot >= oldest; });
}

}  // namespace

std::int32_t DelayWindow::slot_of(TimePoint at) {
  // Instants before the boot of the machine are negative: decisions of an earlier one are repeated.
  const auto since = at.time_since_epoch();
  const auto slot = since / kEvaluationPeriod;
  return static_cast<std::int32_t>(slot * kEvaluationPeriod > since ? slot - 1 : slot);
}

void DelayWindow::record(TimePoint now, PodCount pods, Duration delay) {
  entries_.erase(entries_.begin(), first_held(entries_, now, delay));
  const std::int32_t slot = slot_of(now);
  const bool is_covered =
      !entries_.empty() && entries_.back().slot == slot && entries_.back().pods >= pods;
  if (is_covered) return;
  while (!entries_.empty() && entries_.back().pods <= pods) entries_.pop_back();
  entries_.push_back({slot, pods});
}

PodCount DelayWindow::max(TimePoint now, Duration delay) const {
  const auto first = first_held(entries_, now, delay);
  return first == entries_.end() ? 0 : first->pods;
}

}  // namespace bellows::autoscaler
