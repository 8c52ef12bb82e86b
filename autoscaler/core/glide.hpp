// Fewer replicas, little by little.
#pragma once

#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// What was asked for, not rounded, as it sinks.
struct Glide {
  double level = 0;
  TimePoint at;
  bool operator==(const Glide&) const = default;
};

/// Follows `amount` up at once. On the way down the surplus shrinks to 37 % each glide-time, so
/// that neither a lull of a second nor the end of panic sends replicas away that are wanted back a
/// moment later; of few replicas much slower, down to a thirtieth of that pace for the last of two.
Glide next_glide(const Glide& before, const ScalingSpec& spec, double amount, TimePoint now);

}  // namespace bellows::autoscaler
