// Loads that jump: within seconds they become several times as large as before, faster than
// replicas start. Until those are ready the goal is missed whatever the target. Only replicas that
// stood idle before keep it then.
#pragma once

#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// A jump that was watched for a minute, and until the goal was kept again, at most three. Plain
/// data.
struct Jump {
  TimePoint at;  ///< its first second
  /// Requests in flight once replicas have followed: of the revision where it is watched, of its
  /// whole service where it is recorded.
  double load = 0;
  double missed = 0;  ///< seconds of that time in which the goal was missed
  bool operator==(const Jump&) const = default;
};

/// Finds jumps in the seconds of a revision: the arrivals of three seconds are three times those of
/// the minute before, and twice that for 15 seconds at least. A load that begins when there was
/// none is none: that is scale from zero. What it came to are the requests in flight after a
/// minute; of a burst that has ended by then, its arrivals with the time that requests took before.
/// Owner: one FleetSeconds. Memory: constant, and 24 bytes per jump that was not taken.
class JumpWatch {
 public:
  /// What became of seconds that missed the goal.
  struct Missed {
    double by_jumps = 0;
    double otherwise = 0;
  };
  /// One second that ended `at`. A missed one during what may be a jump is told once that is known.
  /// `is_waiting`: callers wait in the activator for longer than the goal allows. That is missed by
  /// a jump, but told of none.
  Missed add(TimePoint at, double arrived, double in_flight, bool is_missed, bool is_waiting);

  /// The jumps that are no longer watched.
  std::vector<Jump> take();

 private:
  bool begins(TimePoint at, double arrived);
  Missed watch(double arrived, double in_flight, bool is_missed, bool is_waiting);
  Missed conclude();

  double usual_ = 0;       // arrivals a second, of the last minute outside of jumps
  double usual_load_ = 0;  // requests in flight, the same
  double known_ = 0;       // seconds
  double before_ = 0;      // arrivals of the last second
  double earlier_ = 0;     // and of the one before it
  double watched_ = 0;     // seconds of the jump that is watched; 0: none is
  double first_ = 0;       // sum of the arrivals of its first 15 seconds
  double arrived_ = 0;     // in its last seconds, a mean
  double load_ = 0;        // requests in flight, the same
  double calm_ = 0;        // its last seconds that kept the goal
  double late_ = 0;        // its seconds in which replicas missed the goal
  Jump jump_;
  std::vector<Jump> jumps_;
};

/// Part of the state of a slow brain. Plain data.
struct JumpRecord {
  std::vector<Jump> jumps{};  ///< of the last hour, or 3 while room is kept; at most 8, in order
  TimePoint since{};          ///< jumps are watched since then
  bool is_kept = false;       ///< room for the next one is kept ready
  bool operator==(const JumpRecord&) const = default;
};

/// Takes the jumps of an interval that ended `now` into the record. Room is kept once two jumps
/// within an hour made more than 0.7 % of its seconds miss the goal, or a replica was killed for
/// memory in the minute of one; until no jump came for three hours. `killed_at`: the last kill.
void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now,
                  TimePoint killed_at);

/// The requests in flight for which room is kept ready, by a revision that gets the part `share` of
/// its service's requests: of the larger of the last two jumps. 0: none.
double kept_load(const JumpRecord& record, double share);

}  // namespace bellows::autoscaler::slow
