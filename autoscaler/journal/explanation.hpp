// Why there are that many replicas, for a person who was just woken.
#pragma once

#include <span>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/gaps.hpp"
#include "autoscaler/journal/rule_words.hpp"

namespace bellows::autoscaler::journal {

/// Two or three sentences on the last of `decisions`: how many replicas and since when; what was
/// seen, which rule bound and what there would have been without it; what happens next. Those
/// before it, oldest first, say since when it has been so. Not empty. `calls` are the gaps as they
/// were known at the last. No line break.
///
///   "web should have 4 replicas, since 14:02:40; 3 are ready, 1 is starting. Over the last 6s it
///   had 31.2 requests in flight on average, and one replica should carry 7, which would take 5
///   replicas, but max-scale is 4. More load changes nothing until max-scale is raised."
std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const Gaps& calls, const ClockText& clock);

}  // namespace bellows::autoscaler::journal
