// Loads that jump: within seconds they become several times as large as before, faster than
// replicas start. Until those are ready the goal is missed whatever the target. Only replicas that
// stood idle before keep it then.
#pragma once

#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// Seconds: the usual load is a mean of a minute, a jump is watched for one, and a stall is none
/// that lasts for longer.
inline constexpr double kMinute = 60;

/// A jump that was watched for a minute. Plain data.
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
  double late_ = 0;        // its seconds in which replicas missed the goal
  Jump jump_;
  std::vector<Jump> jumps_;
};

/// Part of the state of a slow brain. Plain data.
struct JumpRecord {
  std::vector<Jump> jumps{};  ///< of the last hour, or 3 while room is kept, in order
  bool is_kept = false;       ///< room for the next one is kept ready
  bool operator==(const JumpRecord&) const = default;
};

/// Takes the jumps of an interval that ended `now` into the record. Room is kept once two jumps
/// within an hour made more than 25 of its seconds miss the goal; until no jump came for three
/// hours.
void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now);

/// The requests in flight for which room is kept ready, by a revision that gets the part `share` of
/// its service's requests: of the larger of the last two jumps. 0: none.
double kept_load(const JumpRecord& record, double share);

}  // namespace bellows::autoscaler::slow
