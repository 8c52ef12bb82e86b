#include "autoscaler/core/load/activator_queues.hpp"

#include <cmath>

namespace bellows::autoscaler {

void ActivatorQueues::record(const PodName& activator, Concurrency waiting, TimePoint at,
                             std::optional<std::uint64_t> unreachable) {
  const auto [it, is_new] = reports_.try_emplace(activator);
  Report& report = it->second;
  if (!is_new && at < report.at) return;
  report = {waiting, unreachable.value_or(report.unreachable), at};
}

std::uint64_t ActivatorQueues::waiting(TimePoint now) {
  std::erase_if(reports_, [&](const auto& known) { return now - known.second.at > dead_after_; });
  double sum = 0;
  for (const auto& [activator, report] : reports_) sum += report.waiting;
  return static_cast<std::uint64_t>(std::ceil(sum));
}

std::vector<std::string> ActivatorQueues::reporting(TimePoint now) const {
  std::vector<std::string> names;
  for (const auto& [activator, report] : reports_) {
    if (now - report.at <= dead_after_) names.push_back(activator.text());
  }
  return names;
}

std::vector<PodName> ActivatorQueues::kept_away(TimePoint now) const {
  std::vector<PodName> names;
  for (const auto& [activator, report] : reports_) {
    const bool counts = report.unreachable > 0 && now - report.at <= dead_after_;
    if (counts) names.push_back(activator);
  }
  return names;
}

}  // namespace bellows::autoscaler
