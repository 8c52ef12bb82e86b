#include "autoscaler/core/rules/headroom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autoscaler/core/load/burstiness.hpp"
#include "autoscaler/core/load/growth.hpp"
#include "autoscaler/core/load/pods_for.hpp"
#include "autoscaler/core/rules/unsettled_load.hpp"

namespace bellows::autoscaler {

double replicas_for(const ScalingSpec& spec, double load, const Room& room) {
  if (spec.rules.headroom == config::Headroom::kUtilization) return load / spec.target;
  if (load <= 0) return 0;
  const double chance = spec.rules.headroom_factor * std::sqrt(room.spread * load);
  const double most = load * (spec.total / spec.target - 1);
  return (load + std::min(std::max(chance, room.growth * load), most)) / spec.total;
}

double replicas_for(const ScalingSpec& spec, const Observation& seen, const WindowLoad& load,
                    const Room& room) {
  if (spec.rules.observed_load == config::ObservedLoad::kMeanPerPod) {
    return amount_of_pods(spec, seen, load);
  }
  return replicas_for(spec, load.total, room);
}

Room steady_room(const Decision& decision) {
  const double now = spread_index(decision.after.burstiness);
  return {.spread = spread_over_start(now, decision.spec, decision.seen.start_time)};
}

Room planned_room(const Decision& decision) {
  Room room = steady_room(decision);
  room.growth = is_unsettled(decision.after, decision.at)
                    ? std::numeric_limits<double>::infinity()
                    : share_over_start(decision.after.growth, decision.spec, decision.seen);
  return room;
}

}  // namespace bellows::autoscaler
