// The seconds of all replicas of a revision together: kept and missed goals, and the peak of
// requests per replica.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autoscaler/slow/jumps.hpp"
#include "autoscaler/slow/slow_spec.hpp"
#include "base/time.hpp"
#include "metrics/service_times.hpp"

namespace bellows::autoscaler::slow {

/// The ratio from which on two loads differ.
inline constexpr double kUnlike = 1.5;

/// Sums over seconds of a revision. Plain data.
struct FleetSums {
  double seconds = 0;  ///< in which requests ended
  double missed = 0;   ///< of them, those in which more requests were late than the goal allows
  double missed_by_jumps = 0;  ///< those within a minute of a jump of the load; not in `missed`
  double crowding = 0;         ///< maximum over seconds of mean requests in flight per busy replica
  /// Jumps whose minute is over, with the load of the whole service.
  std::vector<Jump> jumps{};
  bool operator==(const FleetSums&) const = default;
};

/// The service times of one second of one replica.
struct SecondOfTimes {
  double count = 0;
  double late = 0;     ///< requests longer than the limit of the goal
  double longest = 0;  ///< seconds
};

/// Owner: one interval meter. Thread: the io thread.
class FleetSeconds {
 public:
  SecondOfTimes read(const metrics::ServiceTimes& times,
                     const std::optional<config::LatencyGoal>& goal);

  /// Adds a second of a replica that ended `now`, with `arrived` new requests.
  void add(TimePoint now, double in_flight, double arrived, const SecondOfTimes& times,
           const SlowSpec& spec);

  /// Adds `waiting` requests in an activator, a mean over the second that ended `now`.
  void wait(TimePoint now, double waiting);

  /// Returns true during a stall: all replicas became slow at once without more arrivals, so that
  /// suddenly far fewer requests ended than in the seconds before. It lasts until the requests in
  /// flight are as few as before for three seconds, at most a minute. Its seconds say nothing about
  /// single replicas.
  bool is_stalled() const { return stalled_for_ > 0; }
  /// Returns the number of closed seconds since an arbitrary time.
  std::int64_t closed() const { return closed_; }

  /// Returns and resets the sums, without the open second.
  FleetSums take();

 private:
  void open(TimePoint now);
  void close();
  void take_jumps();
  void watch_stall();
  bool is_waiting();

  FleetSums sums_;
  JumpWatch jumps_;
  TimePoint open_;  // the begin of the open second
  double in_flight_ = 0;
  double usual_ = 0;  // requests in flight, mean of a minute
  double known_ = 0;  // seconds
  std::int64_t closed_ = 0;
  double arrived_ = 0;
  double waiting_ = 0;
  bool waited_ = false;        // in the last second requests waited for longer than the goal allows
  double recent_arrived_ = 0;  // means of the last seconds
  double recent_ended_ = 0;
  double recent_in_flight_ = 0;
  double stalled_for_ = 0;  // seconds; 0: it is not
  double calm_ = 0;         // the last of them with as few requests in flight as before
  double replicas_ = 0;
  double ended_ = 0;
  double late_ = 0;
  double allowed_ = 0;  // share of late requests; 0: there is no goal
  double share_ = 1;    // SlowSpec::share
  double limit_ = 0;    // of the goal, seconds, and its bucket
  double limit_bucket_ = 0;
};

}  // namespace bellows::autoscaler::slow
