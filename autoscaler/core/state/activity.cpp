#include "autoscaler/core/state/activity.hpp"

#include <array>

namespace bellows::autoscaler {
namespace {

Serving serving(Serving before, const ActivityView& view) {
  if (view.desired == 0 || view.min_ready == 0) return Serving::kInactive;
  const bool is_needed = view.desired > 0 || before != Serving::kInactive;
  if (!is_needed) return Serving::kInactive;
  return view.ready < view.min_ready ? Serving::kActivating : Serving::kActive;
}

}  // namespace

std::string_view to_string(Serving state) {
  static constexpr std::array<std::string_view, 3> kNames = {"inactive", "activating", "active"};
  return kNames.at(static_cast<std::size_t>(state));
}

Activity next_activity(const Activity& before, const ActivityView& view, TimePoint now) {
  const Serving next = serving(before.state, view);
  return next == before.state ? before : Activity{next, now};
}

}  // namespace bellows::autoscaler
