#include "autoscaler/core/rules/headroom.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/core/load/burstiness.hpp"
#include "autoscaler/core/load/pods_for.hpp"
#include "autoscaler/core/rules/unsettled_load.hpp"

namespace bellows::autoscaler {

double replicas_for(const ScalingSpec& spec, double load, double spread) {
  if (spec.rules.headroom == config::Headroom::kUtilization) return load / spec.target;
  const double room = spec.rules.headroom_factor * std::sqrt(spread * std::max(0.0, load));
  const double max_room = std::max(0.0, load * (spec.total / spec.target - 1));
  return (load + std::min(room, max_room)) / spec.total;
}

double replicas_for(const ScalingSpec& spec, const Observation& seen, const WindowLoad& load,
                    double spread) {
  if (spec.rules.observed_load == config::ObservedLoad::kMeanPerPod) {
    return amount_of_pods(spec, seen, load);
  }
  return replicas_for(spec, load.total, spread);
}

double steady_spread(const Decision& decision) {
  const double now = spread_index(decision.after.burstiness);
  return spread_over_start(now, decision.spec, decision.seen.start_time);
}

double planned_spread(const Decision& decision) {
  constexpr double kUnlimited = 1e12;
  const bool is_steady = !is_unsettled(decision.after, decision.at);
  return is_steady ? steady_spread(decision) : kUnlimited;
}

}  // namespace bellows::autoscaler
