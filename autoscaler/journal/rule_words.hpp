// Every rule in words for a person: why it set the number, and what happens next.
#pragma once

#include <functional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/gaps.hpp"

namespace bellows::autoscaler::journal {

/// An instant of the decisions' time line as people write it: "14:03:12".
using ClockText = std::function<std::string(TimePoint)>;

/// What the words are about. Everything outlives it.
struct Subject {
  const Decision& decision;
  const Gaps& calls;  ///< as they were known when it was decided
  const ClockText& clock;
};

/// What was seen, which rule bound, and what there would have been without it. No full stop.
std::string why(const Subject& subject);

/// What happens next; empty if there is nothing to say. No full stop.
std::string next(const Subject& subject);

}  // namespace bellows::autoscaler::journal
