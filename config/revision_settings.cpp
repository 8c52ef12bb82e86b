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
  constexpr double kLeast = 0.01;
  constexpr double kRpsPercentage = 70;
  const double unless_said =
      metric == Metric::kRps ? kRpsPercentage : container_concurrency_target_percentage;
  const double percentage = target_utilization_percentage.value_or(unless_said);
  return std::max(kLeast, total_target() * (percentage / 100));
}

Duration RevisionSettings::panic_window() const {
  // Half a second rounds up, as in Knative (Go's Duration.Round): 7.5 % of 60 s are 5 s.
  const double seconds = std::round(to_seconds(window) * panic_window_percentage / 100);
  return std::chrono::seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds)));
}

}  // namespace bellows::config
