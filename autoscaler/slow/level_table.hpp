// What replicas did at each level of concurrency: seconds of replicas, summed by requests in
// flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::autoscaler::slow {

/// Levels are 26 % apart (ten a decade). Level 0 is below half a request in flight, the last one
/// above 1,000.
inline constexpr std::size_t kLevels = 35;
std::size_t level_of(double in_flight);
/// The unit of memory in a table.
double mebibytes_of(Bytes memory);

/// A decayed histogram of service times, without its empty ends.
class TimesSum {
 public:
  void add(const metrics::ServiceTimes& times);
  void add(const TimesSum& other);
  void add(std::size_t bucket, float count);
  void scale(float factor);
  /// The time within which the share `quantile` was served, in seconds; nothing without requests.
  std::optional<double> quantile(double quantile) const;
  /// The same with each request counted as often as it is long, so that many brief requests, such
  /// as health checks, do not hide the ones that occupy the replica.
  std::optional<double> quantile_of_work(double quantile) const;
  /// Means, of the times and of their logarithms.
  std::optional<double> mean() const;
  std::optional<double> mean_log() const;
  double count() const;

  std::size_t first() const { return first_; }
  const std::vector<float>& counts() const { return counts_; }
  bool operator==(const TimesSum&) const = default;

 private:
  void cover(std::size_t bucket);
  template <class F>
  std::optional<double> weighted_quantile(double quantile, F weight) const;
  std::size_t first_ = 0;
  std::vector<float> counts_;
};

/// Sums over seconds of replicas at one level; each second has the weight that is left of it.
struct LevelSum {
  std::uint8_t level = 0;
  double seconds = 0;
  double in_flight =
      0;  ///< a mean once divided by `seconds`; so are those without a count of theirs
  double completed = 0;
  double errors = 0;
  double cpu = 0;  ///< cores
  double cpu_seconds = 0;
  double memory = 0;  ///< MiB
  double memory_seconds = 0;
  TimesSum times;

  void add(const LevelSum& other);
  /// False: so little is left that it may be forgotten.
  bool scale(double factor);
  double mean_in_flight() const { return in_flight / seconds; }
  double error_share() const { return completed > 0 ? errors / completed : 0; }
  bool operator==(const LevelSum&) const = default;
};

/// Owner: one slow brain, or one evaluation of it. Pure. Allocates for levels and service times
/// that it sees for the first time. The order in which seconds are added makes no difference beyond
/// the rounding of sums.
class LevelTable {
 public:
  /// What of a reading belongs to the level of its second.
  struct Belongs {
    bool times = true;
    bool memory = true;
  };
  /// One second of one replica with `in_flight` requests in its app.
  void add(double in_flight, const metrics::ReplicaReading& reading, Belongs belongs);
  void add(double in_flight, const metrics::ReplicaReading& reading) {
    add(in_flight, reading, Belongs{});
  }
  /// Memory of a moment with `in_flight` requests. Not a second of its own.
  void add_memory(double in_flight, Bytes memory);
  void add(const LevelTable& other);
  void scale(double factor);

  double seconds() const;
  bool empty() const { return seconds() <= 0; }
  /// The highest level with at least that many seconds at or above it, as requests in flight.
  double reach(double seconds) const;
  /// Those with seconds, the lowest first.
  const std::vector<LevelSum>& levels() const { return levels_; }
  /// nullptr: no second was at that level.
  const LevelSum* find(std::size_t level) const;
  /// The sums of that level, zeros if there were none. The caller adds seconds to them.
  LevelSum& at(std::size_t level);
  bool operator==(const LevelTable&) const = default;

 private:
  std::vector<LevelSum> levels_;
};

}  // namespace bellows::autoscaler::slow
