#include "autoscaler/core/rules/early_scale_up.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

double deviation(double load, double service_seconds, Duration window) {
  const double share = service_seconds > 0 ? service_seconds / to_seconds(window) : 1;
  return std::sqrt(load * std::min(1.0, share));
}

float next_service_seconds(float before, const Observation& seen) {
  constexpr double kWeight = 0.05;
  if (seen.stable_rate <= 0) return before;
  const double now = (seen.stable.total - seen.stable.queued) / seen.stable_rate;
  return static_cast<float>(before > 0 ? before + kWeight * (now - before) : now);
}

double certain_load(const ScalingSpec& spec, double load, Duration window, double service_seconds) {
  return load - spec.rules.early_scale_up_z_score * deviation(load, service_seconds, window);
}

CertainLoad significant_load(const ScalingSpec& spec, const Observation& seen,
                             double service_seconds) {
  CertainLoad most{seen.stable.total};
  if (spec.rules.early_scale_up == config::EarlyScaleUp::kWindow) return most;
  const auto raise_to = [&](double load, Duration window, EarlyLoad shown_by) {
    const double certain = certain_load(spec, load, window, service_seconds);
    if (certain > most.load) most = {certain, shown_by};
  };
  raise_to(seen.panic.total, spec.panic_window, EarlyLoad::kPanicWindow);
  raise_to(seen.newest, std::chrono::seconds(1), EarlyLoad::kNewestSecond);
  return most;
}

double lasting_load(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  const bool is_asked = spec.rules.early_scale_up == config::EarlyScaleUp::kEvidence &&
                        spec.metric == config::Metric::kConcurrency;
  if (!is_asked || service_seconds <= 0 || !seen.start_time) return seen.stable.total;
  const double ended = to_seconds(*seen.start_time + kEvaluationPeriod) / service_seconds;
  const double more = std::max(0.0, seen.newest - seen.stable.total);
  return seen.stable.total + more * std::max(0.0, 1 - ended);
}

}  // namespace bellows::autoscaler
