// A load that rises faster than chance explains.
#pragma once

#include <optional>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// When the load last was beyond what chance explains: the panic window or the newest second above
/// the stable one by four standard deviations of the learned arrivals, or panic mode.
std::optional<TimePoint> next_unsettled_at(const Memory& memory, const ScalingSpec& spec,
                                           const Observation& seen, TimePoint now);

/// True for two minutes after that: a load that rose will rise again, and statistics of a steady
/// load say nothing on it. Headroom square-root is what the utilisation leaves then.
bool is_unsettled(const Memory& memory, TimePoint now);

}  // namespace bellows::autoscaler
