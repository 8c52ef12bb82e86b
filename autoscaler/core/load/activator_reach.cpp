#include "autoscaler/core/load/activator_reach.hpp"

namespace bellows::autoscaler {

void ActivatorReach::record(const PodName& activator, std::uint64_t unreachable, TimePoint at) {
  const auto known = reports_.find(activator);
  if (known == reports_.end()) {
    if (unreachable > 0) reports_[activator] = {unreachable, at};
    return;
  }
  if (at >= known->second.at) known->second = {unreachable, at};
}

std::vector<PodName> ActivatorReach::kept_away(TimePoint now) const {
  std::vector<PodName> names;
  for (const auto& [activator, report] : reports_) {
    const bool counts = report.unreachable > 0 && now - report.at <= dead_after_;
    if (counts) names.push_back(activator);
  }
  return names;
}

}  // namespace bellows::autoscaler
