// Loads that jump: within seconds they multiply, faster than replicas start. Until new replicas are
// ready the goal is missed at any target. Only replicas that are ready before the jump keep the
// goal.
#pragma once

#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// Seconds over which the usual load is a mean, for which a jump is watched, and which a stall
/// lasts at most.
inline constexpr double kMinute = 60;

/// A jump that was watched for a minute. Plain data.
struct Jump {
  TimePoint at;  ///< its first second
  /// Requests in flight once replicas have followed: of the revision while it is watched, of the
  /// whole service in a record.
  double load = 0;
  double missed = 0;  ///< seconds of its minute in which the goal was missed
  bool operator==(const Jump&) const = default;
};

/// Finds jumps in the seconds of a revision. In a jump the arrivals of three seconds are three
/// times those of the minute before, and for at least 15 seconds twice those. A load that starts
/// from zero is scale from zero instead of a jump. The load of a jump is the requests in flight
/// after a minute; that of a burst which has ended by then is its arrival rate times the earlier
/// service time. Owner: one FleetSeconds. Memory: constant, and 24 bytes per jump until take().
class JumpWatch {
 public:
  /// Seconds that missed the goal, by cause.
  struct Missed {
    double by_jumps = 0;
    double otherwise = 0;
  };
  /// Adds a second that ended `at`. A missed second during a possible jump is returned once the
  /// jump is confirmed or rejected. `is_waiting`: callers wait in the activator for longer than the
  /// goal allows. Such a second counts as missed by a jump, and is never returned otherwise.
  Missed add(TimePoint at, double arrived, double in_flight, bool is_missed, bool is_waiting);

  /// Returns the jumps that are no longer watched.
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
  double watched_ = 0;     // seconds of the watched jump; 0: none
  double first_ = 0;       // sum of the arrivals of its first 15 seconds
  double arrived_ = 0;     // mean of its last seconds
  double load_ = 0;        // requests in flight, the same
  double late_ = 0;        // its seconds in which replicas missed the goal
  Jump jump_;
  std::vector<Jump> jumps_;
};

/// Part of the state of a slow brain. Plain data.
struct JumpRecord {
  std::vector<Jump> jumps{};  ///< of the last hour, or of 3 hours while replicas are kept, in order
  bool is_kept = false;       ///< replicas are kept ready for the next jump
  bool operator==(const JumpRecord&) const = default;
};

/// Adds the jumps of an interval that ended `now` to the record. Replicas are kept once two jumps
/// within an hour caused more than 25 missed seconds, and until three hours pass without a jump.
void record_jumps(JumpRecord& record, const std::vector<Jump>& seen, TimePoint now);

/// Returns the requests in flight for which a revision with the part `share` of its service's
/// requests keeps replicas ready: those of the larger of the last two jumps. 0: none.
double kept_load(const JumpRecord& record, double share);

}  // namespace bellows::autoscaler::slow
