// The behaviour of replicas at each level of concurrency: replica-seconds, summed by requests in
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

/// The number of levels, which are 26 % apart (ten per decade). Level 0 is below half a request in
/// flight, the last one above 1,000.
inline constexpr std::size_t kLevels = 35;
std::size_t level_of(double in_flight);
/// Returns an amount in MiB, the unit of memory in a table.
double mebibytes_of(Bytes memory);

/// A decayed histogram of service times, without its empty ends.
class TimesSum {
 public:
  void add(const metrics::ServiceTimes& times);
  void add(const TimesSum& other);
  void add(std::size_t bucket, float count);
  void scale(float factor);
  /// Returns the quantile in seconds; nullopt without requests.
  std::optional<double> quantile(double quantile) const;
  /// Returns the quantile with each request weighted by its length, so that many brief requests,
  /// such as health checks, do not hide the ones that occupy the replica.
  std::optional<double> quantile_of_work(double quantile) const;
  /// Returns the mean of the times, or of their logarithms.
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

/// Sums over replica-seconds at one level; each second has its decayed weight.
struct LevelSum {
  std::uint8_t level = 0;
  double seconds = 0;
  double in_flight =
      0;  ///< divided by `seconds` it is a mean, as are sums without a count of their own
  double completed = 0;
  double errors = 0;
  double cpu = 0;  ///< cores
  double cpu_seconds = 0;
  double memory = 0;  ///< MiB
  double memory_seconds = 0;
  TimesSum times;

  void add(const LevelSum& other);
  /// Scales the sums. Returns false if the remaining weight is negligible.
  bool scale(double factor);
  double mean_in_flight() const { return in_flight / seconds; }
  double error_share() const { return completed > 0 ? errors / completed : 0; }
  bool operator==(const LevelSum&) const = default;
};

/// The sums of all levels. Owner: one slow brain, or one evaluation of it. Pure. It allocates for
/// new levels and service times. The order of add() affects only the rounding of sums.
class LevelTable {
 public:
  /// The parts of a reading that belong to the level of its second.
  struct Belongs {
    bool times = true;
    bool memory = true;
  };
  /// Adds one second of one replica with `in_flight` requests in its app.
  void add(double in_flight, const metrics::ReplicaReading& reading, Belongs belongs);
  void add(double in_flight, const metrics::ReplicaReading& reading) {
    add(in_flight, reading, Belongs{});
  }
  /// Adds the memory of a moment with `in_flight` requests, without a second.
  void add_memory(double in_flight, Bytes memory);
  void add(const LevelTable& other);
  void scale(double factor);

  double seconds() const;
  bool empty() const { return seconds() <= 0; }
  /// Returns the highest level with at least `seconds` at or above it, as requests in flight.
  double reach(double seconds) const;
  /// Returns the levels with seconds, lowest first.
  const std::vector<LevelSum>& levels() const { return levels_; }
  /// Returns the sums of a level; nullptr: it has no second.
  const LevelSum* find(std::size_t level) const;
  /// Returns the sums of a level, zeros for a new one. The caller adds seconds to them.
  LevelSum& at(std::size_t level);
  bool operator==(const LevelTable&) const = default;

 private:
  std::vector<LevelSum> levels_;
};

}  // namespace bellows::autoscaler::slow
