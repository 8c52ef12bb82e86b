// Exponential scale-down smoothing (setting scale-down-smoothing).
#pragma once

#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Follows `amount` up at once. On the way down the excess decays to 37 % in each
/// scale-down-smoothing-time, more slowly for few replicas, so that neither a pause of a second nor
/// the end of panic mode removes replicas that are needed a moment later.
ScaleDownSmoothing smoothed_scale_down(const ScaleDownSmoothing& before, const ScalingSpec& spec,
                                       double amount, TimePoint now);

}  // namespace bellows::autoscaler
