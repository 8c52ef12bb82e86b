// The seconds of all replicas of a revision between two evaluations of its slow brain.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "autoscaler/slow/estimators.hpp"
#include "autoscaler/slow/fleet_seconds.hpp"
#include "autoscaler/slow/level_table.hpp"
#include "autoscaler/slow/slow_spec.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler::slow {

/// The input of an evaluation besides settings and state. Plain data.
struct Interval {
  TimePoint begin;
  TimePoint end;
  LevelTable table{};  ///< without young replicas and those limited by their queue
  FleetSums fleet{};   ///< young replicas included
  ReplicaLimits limits{};
  double killed_at = 0;     ///< requests in flight before an out-of-memory kill; 0: none
  bool is_rollout = false;  ///< replicas of another version ran too
  bool operator==(const Interval&) const = default;
};

/// Builds intervals from stats. Owner: one revision's slow brain. Thread: the io thread. Memory:
/// the table's, and 200 bytes per replica that reported in the last minute.
class IntervalMeter {
 public:
  /// The first time of a replica, which is not learned because caches and compilers are cold; it is
  /// the latency-window if that is shorter. A replica without a report for kYoung is removed.
  static constexpr Duration kYoung = std::chrono::seconds(60);

  /// Adds a stat of a replica that has a reading; others are ignored. Requests above the hard limit
  /// wait in the queue of the replica. The times of a second that follows much fuller or emptier
  /// ones are not learned, because the load of earlier seconds determined them.
  void record(const metrics::Stat& stat, const SlowSpec& spec, TimePoint now);

  /// Returns the interval from the last call to `now`.
  Interval take(TimePoint now, bool is_rollout);

  /// Returns true if take() would return an out-of-memory kill.
  bool has_kill() const { return interval_.killed_at > 0; }
  /// Treats no replica that reports before `until` as young, because after a restart of the
  /// autoscaler its replicas run already.
  void expect_old(TimePoint until) { old_until_ = until; }

 private:
  struct Seen {
    TimePoint first;
    TimePoint last;
    std::uint64_t boot = 0;
    double in_flight = 0;           // peak
    double memory = 0;              // MiB; 0: unknown
    std::array<float, 8> levels{};  // the last seconds, a ring; < 0: unknown
    std::uint8_t next = 0;
    std::optional<Bytes> open_memory{};  // at the end of the last second, with `open_level` in it
    double open_level = 0;

    /// Returns true if requests that ended in a second at `level`, and took `seconds`, began at a
    /// similar level.
    bool was_like(double level, double seconds) const;
    void push(double level);
  };

  void settle();

  Interval interval_;
  FleetSeconds fleet_;
  /// The seconds of the open second and of the one before. They are not added yet, because a stall
  /// begins within a second and is detected after its first whole one.
  LevelTable open_;
  LevelTable before_;
  std::int64_t settled_ = 0;  // FleetSeconds::closed() of the last settle()
  boost::unordered_flat_map<std::string, Seen> replicas_;
  TimePoint old_until_{};
};

}  // namespace bellows::autoscaler::slow
