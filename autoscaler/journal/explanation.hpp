// Why there are that many replicas, for a person who was just woken.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::journal {

/// An instant of the decisions' time line as people write it: "14:03:12".
using ClockText = std::function<std::string(TimePoint)>;

/// Two or three sentences on the last of `decisions`: how many replicas and since when; what was
/// seen, which rule bound and what there would have been without it; what happens next. Those
/// before it, oldest first, say since when it has been so. Not empty. No line break.
///
///   "web should have 4 replicas, since 14:02:40; 3 are ready, 1 is starting. Over the last 6s it
///   had 31.2 requests in flight on average and one replica should carry 7, which would take 5
///   replicas, but max-scale is 4. In panic mode nothing goes down: it ends at 14:04:06 unless the
///   load rises like that again."
std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const ClockText& clock);

}  // namespace bellows::autoscaler::journal
