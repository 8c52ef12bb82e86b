// How often the goal was missed, and how far below the level of the table the target has to be for
// that: what the table cannot know are bursts, late starts and how a second differs from the next.
#pragma once

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// Part of the state of a slow brain. Plain data.
struct GoalRecord {
  double seconds = 0;       ///< with responses, since the last change
  double missed = 0;        ///< of them
  double factor = 1;        ///< of the level of the table, 0.5 to 1
  double share_before = 0;  ///< of missed seconds, before it was lowered last; 0: it was not
  bool is_no_use = false;   ///< a lower target did not help: bursts or the app itself miss it
  bool operator==(const GoalRecord&) const = default;
};

/// Seconds of the present target. Once more than 1 % of them are missed, by more than chance in at
/// least 10 minutes, the factor is lowered by 15 %; if that does not help it is taken back for a
/// day. After 6 hours with fewer than 0.3 % it is raised by 5 %.
void record_goal(GoalRecord& record, double seconds, double missed);

/// The target changed: what was counted says nothing about the new one.
void restart_count(GoalRecord& record);

}  // namespace bellows::autoscaler::slow
