#include "config/revision_settings.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::config {

double RevisionSettings::total_target() const {
  if (metric == Metric::kRps) return target.value_or(rps_target_default);
  if (container_concurrency == 0) return target.value_or(target_default);
  const auto limit = static_cast<double>(container_concurrency);
  return std::min(target.value_or(limit), limit);
}

double RevisionSettings::effective_target() const {
  constexpr double kMin = 0.01;
  return std::max(kMin, total_target() * target_fraction());
}

double RevisionSettings::target_fraction() const {
  constexpr double kOfRps = 0.7;
  if (target_utilization_percentage) return *target_utilization_percentage / 100;
  return metric == Metric::kRps ? kOfRps : container_concurrency_target_fraction();
}

double RevisionSettings::container_concurrency_target_fraction() const {
  const double percentage = container_concurrency_target_percentage;
  return percentage > 1 ? percentage / 100 : percentage;
}

Duration RevisionSettings::panic_window() const {
  // Half a second rounds up, as in Knative (Go's Duration.Round): 7.5 % of 60 s are 5 s.
  const double seconds = std::round(to_seconds(window) * panic_window_percentage / 100);
  return std::chrono::seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds)));
}

}  // namespace bellows::config
