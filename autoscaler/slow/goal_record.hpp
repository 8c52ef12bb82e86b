// How often the goal was missed, and by how much the target has to differ from the level of the
// table for that. The table knows single replicas; what it cannot know are bursts, late starts, how
// a second differs from the next, and what replicas share.
#pragma once

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// So long all is new: evaluations are frequent, steps large, and the record moves fast.
inline constexpr Duration kLearning = std::chrono::minutes(30);

/// Part of the state of a slow brain. Plain data.
struct GoalRecord {
  double age = 0;     ///< seconds with responses, since learning began
  double owed = 0;    ///< missed seconds that have not moved the factor yet
  double factor = 1;  ///< of the level of the table, two thirds to 4
  bool operator==(const GoalRecord&) const = default;
};

/// Takes `seconds` with responses, `missed` of them, into the factor: an integral controller, by
/// which 0.3 % of the seconds miss the goal in the long run, a third of what is allowed. A goal
/// that is never missed raises the factor by 60 % an hour at first, by 7 % after 5 hours, by 2 %
/// after a day; missed seconds lower it up to nine times as fast, and what a burst misses beyond
/// that counts in the evaluations after it (4.5 s at most).
void record_goal(GoalRecord& record, double seconds, double missed);

}  // namespace bellows::autoscaler::slow
