// Loads that jump: within seconds they become several times as large as before, faster than
// replicas start. Until those are ready the goal is missed whatever the target. Only replicas that
// stood idle before keep it then.
#pragma once

#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// A jump that was watched for a minute. Plain data.
struct Jump {
  TimePoint at;       ///< its first second
  double load = 0;    ///< requests in flight of the revision, once replicas have followed
  double missed = 0;  ///< seconds of the minute in which the goal was missed
  bool operator==(const Jump&) const = default;
};

/// Finds jumps in the seconds of a revision: the arrivals of three seconds are three times those of
/// the minute before, not far below the most of the last hour, and stay. Bursts that end within
/// half a minute are none, nor is a load that begins when there was none: that is scale from zero.
/// Owner: one FleetSeconds. Memory: constant, and 24 bytes per jump that was not taken.
class JumpWatch {
 public:
  /// What became of seconds that missed the goal.
  struct Missed {
    double by_jumps = 0;
    double otherwise = 0;
  };
  /// One second that ended `at`. A missed one during what may be a jump is told once that is known.
  Missed add(TimePoint at, double arrived, double in_flight, bool is_missed);

  /// The jumps whose minute is over.
  std::vector<Jump> take();

 private:
  bool begins(TimePoint at, double arrived);
  Missed watch(double arrived, double in_flight, bool is_missed);
  Missed conclude();

  double usual_ = 0;    // arrivals a second, of the last minute outside of jumps
  double known_ = 0;    // seconds
  double before_ = 0;   // arrivals of the last second
  double earlier_ = 0;  // and of the one before it
  double busy_ = 0;     // of the last 20 seconds
  double most_ = 0;     // of `busy_` within the last hours, outside of jumps
  double watched_ = 0;  // seconds of the jump that is watched; 0: none is
  double later_ = 0;    // sum of the arrivals of those seconds that say what it came to
  double load_ = 0;     // sum of the requests in flight of the same
  Jump jump_;
  std::vector<Jump> jumps_;
};

/// Part of the state of a slow brain. Plain data.
struct JumpRecord {
  std::vector<Jump> jumps{};  ///< of the last hour, at most 8, in order of time
  TimePoint since{};          ///< jumps are watched since then
  bool is_kept = false;       ///< room for the next one is kept ready
  bool operator==(const JumpRecord&) const = default;
};

/// Takes the jumps of an interval that ended `now` into the record. Room is kept once two jumps
/// within an hour made more than 0.7 % of its seconds miss the goal, or a replica was killed for
/// memory in the minute of one; until no jump came for an hour. `killed_at`: the last kill.
void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now,
                  TimePoint killed_at);

/// The requests in flight for which room is kept ready: the larger of the last two jumps. 0: none.
double kept_load(const JumpRecord& record);

}  // namespace bellows::autoscaler::slow
