// The rate of missed seconds of the goal, and the resulting correction of the table's level. The
// table has data of single replicas. It lacks bursts, late starts, the variation between seconds,
// and resources that replicas share.
#pragma once

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// The time after the start of learning with frequent evaluations, large steps and a fast
/// correction.
inline constexpr Duration kLearning = std::chrono::minutes(30);

/// Part of the state of a slow brain. Plain data.
struct GoalRecord {
  double age = 0;     ///< seconds with responses, since learning began
  double owed = 0;    ///< missed seconds that the factor does not include yet
  double factor = 1;  ///< correction of the table's level, two thirds to 4
  bool operator==(const GoalRecord&) const = default;
};

/// Updates the factor by `seconds` with responses, of which `missed` missed the goal. It is an
/// integral controller that holds the missed seconds at 0.3 % in the long run, a third of the
/// allowed ones. Without missed seconds the factor rises by 60 % an hour at first, by 7 % after 5
/// hours, by 2 % after a day. Missed seconds lower it up to nine times as fast; the excess of a
/// burst counts in later evaluations (at most 4.5 s).
void record_goal(GoalRecord& record, double seconds, double missed);

}  // namespace bellows::autoscaler::slow
