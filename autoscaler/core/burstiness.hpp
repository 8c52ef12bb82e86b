// How much more the arrivals spread than chance alone makes them.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The index of dispersion of the arrivals (variance over mean of their number): 1 for callers that
/// do not know of each other (Poisson), more when they come together. Learned by comparing the
/// rates of panic windows that follow each other, so that a slow drift does not count.
struct Burstiness {
  float index = 1;       // floats: a revision keeps this once per kept decision
  float last_rate = -1;  ///< of the panic window that ended at last_at; negative: none yet
  TimePoint last_at;
  bool operator==(const Burstiness&) const = default;
};

/// Takes in one observation; costs O(1). Changes only once a panic window has passed.
Burstiness next_burstiness(const Burstiness& before, const ScalingSpec& spec,
                           const Observation& seen, TimePoint now);

/// What headroom and rise reckon with: 1 to 6, between independent callers and what was learned,
/// since requests in service average over the bursts that are shorter than they.
double spread_index(const Burstiness& burstiness);

}  // namespace bellows::autoscaler
