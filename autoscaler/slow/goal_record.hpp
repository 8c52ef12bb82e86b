// How often the goal was missed, and by how much the target has to differ from the level of the
// table for that. The table knows single replicas; what it cannot know are bursts, late starts, how
// a second differs from the next, and what replicas share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// The seconds of a revision while it had about that target; each has the weight that is left.
struct GoalLevel {
  std::uint8_t level = 0;  ///< level_of(target)
  double target = 0;       ///< a mean once divided by `seconds`
  double seconds = 0;      ///< with responses
  double missed = 0;       ///< of them, without what the goal asks for

  double mean_target() const { return target / seconds; }
  double share() const { return missed / seconds; }
  bool operator==(const GoalLevel&) const = default;
};

/// Part of the state of a slow brain. Plain data.
struct GoalRecord {
  double age = 0;                   ///< seconds with responses, since learning began
  double owed = 0;                  ///< missed seconds that have not moved the factor yet
  double factor = 1;                ///< of the level of the table, 0.5 to 4
  std::vector<GoalLevel> levels{};  ///< the lowest first
  double floor = 0;        ///< a target much below it did not help, so none is used; 0: not known
  double floor_age = 0;    ///< seconds with responses since then
  double floor_share = 0;  ///< of missed seconds at the lower target
  bool operator==(const GoalRecord&) const = default;
};

/// Takes `seconds` with responses while the target was `target`, `missed` of them, into the factor:
/// an integral controller, by which 0.3 % of the seconds miss the goal in the long run, a third of
/// what is allowed. A goal that is never missed raises the factor by 60 % an hour at first, by 7 %
/// after 5 hours, by 2 % after a day; missed seconds lower it up to nine times as fast, and what a
/// burst misses beyond that counts in the evaluations after it (4.5 s at most). Where a
/// target that is 35 % lower misses the goal as often, the higher one becomes a floor for a day, or
/// until it misses the goal half as often again as the lower one.
void record_goal(GoalRecord& record, double target, double seconds, double missed);

/// The lowest target with enough seconds, or enough missed ones, to say how often it misses the
/// goal. nullopt: there is none yet.
std::optional<double> lowest_known(const GoalRecord& record);
/// The highest target of the last hours; 0: there was none.
double highest_used(const GoalRecord& record);

/// The goal is missed in more than 5 % of the seconds, at the floor as well as below it: what
/// misses it is not what the replicas are given.
bool lower_is_no_use(const GoalRecord& record);

}  // namespace bellows::autoscaler::slow
