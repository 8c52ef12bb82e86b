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
  if (seen.stable_rate <= 0 || seen.waiting > 0) return before;
  const double now = seen.stable.total / seen.stable_rate;
  return static_cast<float>(before > 0 ? before + kWeight * (now - before) : now);
}

double significant_load(const ScalingSpec& spec, const Observation& seen, double service_seconds,
                        double spread) {
  if (spec.rules.early_scale_up == config::EarlyScaleUp::kWindow) return seen.stable.total;
  const auto sure = [&](double load, Duration window) {
    return load -
           spec.rules.early_scale_up_z_score * deviation(load, service_seconds, window, spread);
  };
  return std::max({seen.stable.total, sure(seen.panic.total, spec.panic_window),
                   sure(seen.newest, std::chrono::seconds(1))});
}

}  // namespace bellows::autoscaler
