// How much the load of a second differs from that of the stable window, for the headroom.
#pragma once

#include "autoscaler/core/observation.hpp"

namespace bellows::autoscaler {

/// The memory of it, of fixed size: two sums in which each decision weighs a little less than the
/// next one.
struct LoadSpread {
  float squares = 0;  ///< of the newest second minus the stable window
  float loads = 0;    ///< of the stable window
  bool operator==(const LoadSpread&) const = default;
};

/// Returns the spread after one more decision. A difference counts as at most `most_room`, beyond
/// which no headroom goes: a jump of the load is no dispersion. Nothing changes while there is no
/// load, or while the load of some replica is unknown.
LoadSpread next_spread(const LoadSpread& before, const Observation& seen, double most_room);

/// Returns the index of dispersion: the mean square of those differences, divided by the mean load.
/// 1 for independent callers, whose requests in flight are Poisson distributed; the size of a batch
/// for callers who come in batches. Never less than 1, which it is before the first decision.
///
/// The differences are from the mean that the headroom is added to, not from one decision to the
/// next: what headroom has to cover is how far the load of a second exceeds that mean. So requests
/// that last for minutes, whose number moves with the mean, need as little as they do, and a load
/// that climbs all the time needs more. A second, because callers wait within it: the mean of six
/// does not show bursts that are shorter.
double dispersion(const LoadSpread& spread);

}  // namespace bellows::autoscaler
