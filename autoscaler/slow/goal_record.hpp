// How often the goal was missed, and by how much the target has to differ from the level of the
// table for that. The table knows single replicas; what it cannot know are bursts, late starts, how
// a second differs from the next, and what replicas share.
#pragma once

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// Part of the state of a slow brain. Plain data.
struct GoalRecord {
  double age = 0;      ///< seconds with responses, since learning began
  double seconds = 0;  ///< of them, since the factor was `mark`
  double missed = 0;   ///< of those, without what the goal asks for
  double factor = 1;   ///< of the level of the table, 0.5 to 4
  double mark = 1;     ///< the factor when counting began
  double share_before =
      0;                   ///< of missed seconds, before the factor was lowered last; 0: it was not
  bool is_no_use = false;  ///< a lower target did not help: bursts or the app itself miss it
  bool operator==(const GoalRecord&) const = default;
};

/// Takes `seconds` with responses, `missed` of them, into the factor: an integral controller, by
/// which 0.3 % of the seconds miss the goal in the long run, a third of what is allowed. A goal
/// that is never missed raises the factor by 60 % an hour at first, by 7 % after 5 hours, by 2 %
/// after a day; missed seconds lower it up to nine times as fast. If a factor lowered by 40 % does
/// not help, it is taken back for a day.
void record_goal(GoalRecord& record, double seconds, double missed);

}  // namespace bellows::autoscaler::slow
