// What the user allows.
#pragma once

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Raises the answer to min-scale, or to 1 where scale-to-zero is off, then holds it to max-scale.
void apply_bounds(Answer& answer, const ScalingSpec& spec);

}  // namespace bellows::autoscaler
