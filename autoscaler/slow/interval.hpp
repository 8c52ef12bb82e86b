// What all replicas of a revision did between two evaluations of its slow brain.
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

/// Everything an evaluation depends on besides settings and state. Plain data.
struct Interval {
  TimePoint begin;
  TimePoint end;
  LevelTable table{};  ///< of replicas that are neither young nor limited by their queue
  FleetSums fleet{};   ///< young replicas included
  ReplicaLimits limits{};
  double killed_at = 0;     ///< requests in flight before an out-of-memory kill; 0: none
  bool is_rollout = false;  ///< replicas of another version ran as well
  bool operator==(const Interval&) const = default;
};

/// Makes intervals of stats. Owner: one revision's slow brain. Thread: the io thread. Memory: the
/// table's, and 200 bytes per replica that reported in the last minute.
class IntervalMeter {
 public:
  /// The first minute of a replica is not learned from: caches and compilers are cold. One that
  /// reports nothing for as long is gone.
  static constexpr Duration kYoung = std::chrono::seconds(60);

  /// A stat of a replica with a reading; others are ignored. Requests above the hard limit wait in
  /// the queue of the replica. The times of a second that follows much fuller or emptier ones are
  /// not learned from: its requests were slowed down by others that have left, or not yet by those
  /// that came.
  void record(const metrics::Stat& stat, const SlowSpec& spec, TimePoint now);

  /// The interval from the last call to `now`.
  Interval take(TimePoint now, bool is_rollout);

  /// An out-of-memory kill is waiting to be taken.
  bool has_kill() const { return interval_.killed_at > 0; }
  /// Replicas are known from before, as after a restart of the autoscaler: none that reports before
  /// `until` is young.
  void expect_old(TimePoint until) { old_until_ = until; }

 private:
  struct Seen {
    TimePoint first;
    TimePoint last;
    std::uint64_t boot = 0;
    double in_flight = 0;           // peak
    double memory = 0;              // MiB; 0: unknown
    std::array<float, 8> levels{};  // of the last seconds, a ring; < 0: unknown
    std::uint8_t next = 0;
    std::optional<Bytes> open_memory{};  // at the end of the last second, with `open_level` in it
    double open_level = 0;

    /// Requests that ended in a second at `level` began at one like it, so many seconds before.
    bool was_like(double level, double seconds) const;
    void push(double level);
  };

  void settle();

  Interval interval_;
  FleetSeconds fleet_;
  /// Of the second that is not over and of the one before: a stall is told by its first whole
  /// second, and begins within one.
  LevelTable open_;
  LevelTable before_;
  std::int64_t settled_ = 0;  // FleetSeconds::closed(), as taken into account
  boost::unordered_flat_map<std::string, Seen> replicas_;
  TimePoint old_until_{};
};

}  // namespace bellows::autoscaler::slow
