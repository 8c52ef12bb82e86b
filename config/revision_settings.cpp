#include "config/revision_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bellows::config {

namespace {

constexpr std::array<std::string_view, 3> kMinScaleFromNames{"setting", "deploy", "slow-brain"};

}  // namespace

std::string_view to_string(MinScaleFrom from) {
  return kMinScaleFromNames.at(static_cast<std::size_t>(from));
}

std::optional<MinScaleFrom> read_min_scale_from(std::string_view name) {
  const auto* const found = std::ranges::find(kMinScaleFromNames, name);
  if (found == kMinScaleFromNames.end()) return std::nullopt;
  return static_cast<MinScaleFrom>(found - kMinScaleFromNames.begin());
}

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
  constexpr double kUsual = 0.7;
  if (target_utilization_percentage) return *target_utilization_percentage / 100;
  const bool is_whole = profile == Profile::kSeed && metric == Metric::kConcurrency;
  return is_whole ? 1 : kUsual;
}

void RevisionSettings::raise_min_scale(PodCount replicas, MinScaleFrom from) {
  if (replicas <= min_scale) return;
  min_scale = replicas;
  min_scale_from = from;
}

Duration RevisionSettings::panic_window() const {
  // Half a second rounds up, as in Knative (Go's Duration.Round): 7.5 % of 60 s are 5 s.
  const double seconds = std::round(to_seconds(window) * panic_window_percentage / 100);
  return std::chrono::seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds)));
}

}  // namespace bellows::config
