#include "autoscaler/core/rules/machine_room.hpp"

#include <algorithm>

#include "autoscaler/core/rules/bounds.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"

namespace bellows::autoscaler {
namespace {

/// The last replica stays for a reason that another service's need does not outweigh.
bool is_last_needed(Rule rule, const ScalingSpec& spec, const Observation& seen,
                    const Memory& memory) {
  switch (rule) {
    case Rule::kNoData:
    case Rule::kInitialScale:
      return true;
    case Rule::kLastReplica:
      return spec.rules.keep_alive == config::KeepAlive::kWindow &&
             memory.activity.state == Serving::kActivating;
    case Rule::kGrace:
      return is_bypassed(spec, seen);
    default:
      return false;
  }
}

}  // namespace

PodCount needed_replicas(PodCount by_load, const DesiredReplicas& desired, const Outcome& weighed,
                         const ScalingSpec& spec, const Memory& memory) {
  if (is_last_needed(desired.rule, spec, weighed.seen, memory)) return desired.pods;
  const PodCount in_panic = memory.panic ? weighed.seen.requested : 0;
  DesiredReplicas needed{std::max({by_load, weighed.down_limit, in_panic}), Rule::kTarget};
  apply_bounds(needed, spec, weighed.seen, memory.is_initialised);
  return std::min(needed.pods, desired.pods);
}

void make_room(DesiredReplicas& desired, std::optional<PodCount>& made,
               const std::optional<PodCount>& limit, PodCount needed) {
  if (limit) made = std::min(made.value_or(*limit), *limit);
  if (!made) return;
  made = std::max(*made, needed);
  if (desired.pods > *made) {
    desired = {*made, Rule::kMachineRoom};
  } else {
    made.reset();
  }
}

}  // namespace bellows::autoscaler
