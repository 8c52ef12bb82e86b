#include "autoscaler/core/rules/early_scale_up.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

double deviation(double load, double service_seconds, Duration window, double spread) {
  const double share = service_seconds > 0 ? service_seconds / to_seconds(window) : 1;
  return std::sqrt(spread * load * std::min(1.0, share));
}

float next_service_seconds(float before, const Observation& seen) {
  constexpr double kWeight = 0.05;
  if (seen.stable_rate <= 0) return before;
  const double now = (seen.stable.total - seen.stable.queued) / seen.stable_rate;
  return static_cast<float>(before > 0 ? before + kWeight * (now - before) : now);
}

double certain_load(const ScalingSpec& spec, double load, Duration window, double service_seconds) {
  return load - spec.rules.early_scale_up_z_score * deviation(load, service_seconds, window, 1);
}

double clearly_more_than(PodCount replicas, double amount) {
  constexpr double kClearly = 0.5;
  return amount > replicas + kClearly ? amount : std::min<double>(amount, replicas);
}

double significant_load(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  if (spec.rules.early_scale_up == config::EarlyScaleUp::kWindow) return seen.stable.total;
  return std::max({seen.stable.total,
                   certain_load(spec, seen.panic.total, spec.panic_window, service_seconds),
                   certain_load(spec, seen.newest, std::chrono::seconds(1), service_seconds)});
}

}  // namespace bellows::autoscaler
