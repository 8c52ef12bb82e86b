// Exponential scale-down smoothing (setting scale-down-smoothing).
#pragma once

#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// In replicas: a smaller part of one is not kept by the smoothing.
inline constexpr double kHoldsNone = 0.1;

/// Follows `amount` up at once. On the way down the excess decays to 37 % in each
/// scale-down-smoothing-time, more slowly for few replicas, so that neither a pause of a second nor
/// the end of panic mode removes replicas that are needed a moment later.
/// The excess decays for ever: kHoldsNone of a replica holds no replica.
ScaleDownSmoothing smoothed_scale_down(const ScaleDownSmoothing& before, const ScalingSpec& spec,
                                       double amount, TimePoint now);

}  // namespace bellows::autoscaler
