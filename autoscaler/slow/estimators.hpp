// The maximum of requests in flight of a replica, by each of three limiting resources.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "autoscaler/slow/fits.hpp"
#include "autoscaler/slow/level_table.hpp"
#include "base/units.hpp"
#include "config/slow_brain_settings.hpp"

namespace bellows::autoscaler::slow {

enum class Reason : std::uint8_t { kCpu, kMemory, kLatency };
inline constexpr std::size_t kReasons = 3;
/// Returns "cpu", "memory", ...; part of the state file and of metrics.
std::string_view to_string(Reason reason);

/// The least replica-seconds at a level for an estimate, and the least requests for an estimate of
/// their service time.
inline constexpr double kLeastSeconds = 10;
inline constexpr double kLeastRequests = 30;

/// A limit of the requests in flight of one replica.
struct Bound {
  double level = 0;       ///< > 0, finite
  double confidence = 0;  ///< 0 to 1, see each estimator
  bool is_seen = false;   ///< there are data above it; false: it is extrapolated
  bool operator==(const Bound&) const = default;
};

/// The limits of a replica, as the kernel reports them.
struct ReplicaLimits {
  double cpu = 0;     ///< cores; 0: unknown
  double memory = 0;  ///< MiB; 0: unknown
  bool operator==(const ReplicaLimits&) const = default;
};

/// An out-of-memory kill: no level at or above it is tried again until its weight has decayed.
struct OutOfMemory {
  double level = 0;   ///< requests in flight before it; 0: none
  double weight = 0;  ///< 1 at the kill, decays with the table
  TimePoint at{};

  static constexpr double kForgotten = 0.5;  ///< the weight from which on it has no effect
  bool is_remembered() const { return level > 0 && weight > kForgotten; }
  bool operator==(const OutOfMemory&) const = default;
};

/// Returns the bound of the CPU: the level at which the robust line of cores over requests in
/// flight, fitted below its bend at the limit, reaches 80 % of the limit. The CPU grows no faster
/// than the requests, so an extrapolated line gives a lower bound. With a latency goal the bound is
/// a quarter above the level of full CPU: requests above that level wait, and the latency bound
/// limits their wait once it has data of such levels.
std::optional<Bound> cpu_bound(const LevelTable& table, const ReplicaLimits& limits, bool has_goal);

/// Returns the bound of the memory: the target whose peak reaches 95 % of the limit on the robust
/// line. The peak is `crowding` times the target plus a standard deviation of a Poisson number.
/// After an out-of-memory kill the bound is at most half the level of the kill.
std::optional<Bound> memory_bound(const LevelTable& table, const ReplicaLimits& limits,
                                  const OutOfMemory& kill, double crowding);

/// Returns the quantile of service times at a level that has to meet the goal's limit. Because
/// seconds differ and replicas start late, a usual second may use a fifth of the late requests that
/// the goal allows.
double kept_quantile(double quantile);

/// Returns the bound of the latency: the level at which kept_quantile() reaches the goal's limit.
/// Without a goal it is the level at which the median, weighted by service time, is one and a half
/// times that of an idle replica.
std::optional<Bound> latency_bound(const LevelTable& table,
                                   const std::optional<config::LatencyGoal>& goal);

/// Returns the service time of a single request, in seconds: that of the quiet levels (at most two
/// in flight), else that of the lowest level, extrapolated by the law. nullopt: no requests.
std::optional<double> idle_time(const LevelTable& table, double quantile);

/// Returns the service time at a level: interpolated between its neighbours, or extrapolated by the
/// law. nullopt: no requests.
std::optional<double> time_at(const LevelTable& table, double level, double quantile);

/// Fits the universal scalability law to the levels with enough seconds.
std::optional<Usl> law_of(const LevelTable& table);

using Bounds = std::array<std::optional<Bound>, kReasons>;

}  // namespace bellows::autoscaler::slow
