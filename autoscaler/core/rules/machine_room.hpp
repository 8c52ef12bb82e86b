// Replicas that are only kept make room on the machine for another service
// (docs/sizing.md).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The least that the service may be lowered to: `by_load`, what its load takes before anything
/// that only keeps replicas (delay, keep-alive), within the bounds. All of `desired`,
/// the number otherwise, while the load is unknown or a first replica starts; in panic mode at
/// least the requested number; and never less than max-scale-down-rate allows.
PodCount needed_replicas(PodCount by_load, const DesiredReplicas& desired, const Outcome& weighed,
                         const ScalingSpec& spec, const Memory& memory);

/// Lowers the number to `limit`, but not below `needed`. `made` remembers it from one decision to
/// the next until nothing keeps more: what went would come back at once otherwise, and go again.
void make_room(DesiredReplicas& desired, std::optional<PodCount>& made,
               const std::optional<PodCount>& limit, PodCount needed);

}  // namespace bellows::autoscaler
