// How many requests a replica can have in flight, by three reasons why it could not have more.
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
/// "cpu", "memory", ...; part of the state file and of metrics.
std::string_view to_string(Reason reason);

/// Fewer seconds of replicas say nothing, and fewer requests nothing about how long they take.
inline constexpr double kLeastSeconds = 10;
inline constexpr double kLeastRequests = 30;

/// A limit of the requests in flight of one replica.
struct Bound {
  double level = 0;       ///< > 0, finite
  double confidence = 0;  ///< 0 to 1: how much the data say it; see each estimator
  bool is_seen = false;   ///< there are data above it; false: the curve was continued
  bool operator==(const Bound&) const = default;
};

/// The limits that the kernel told, and what remains of them to be used.
struct ReplicaLimits {
  double cpu = 0;     ///< cores; 0: unknown
  double memory = 0;  ///< MiB; 0: unknown
  bool operator==(const ReplicaLimits&) const = default;
};

/// An out-of-memory kill: no level at or above it is tried again until it is forgotten.
struct OutOfMemory {
  double level = 0;   ///< requests in flight before it; 0: none
  double weight = 0;  ///< 1 when it happened, halved with the table
  TimePoint at{};

  static constexpr double kForgotten = 0.5;  ///< the weight up to which it says nothing any more
  bool is_remembered() const { return level > 0 && weight > kForgotten; }
  bool operator==(const OutOfMemory&) const = default;
};

/// CPU: the robust line of cores over requests in flight, up to where it bends at the limit,
/// reaches 80 % of the limit.
/// The CPU of a level grows no faster than its requests, so a continued line is a lower bound. With
/// a latency goal the bound is a quarter above where the CPU is used up: the requests above that
/// level wait, and how long they may wait is what the latency bound says once it has seen such
/// levels.
std::optional<Bound> cpu_bound(const LevelTable& table, const ReplicaLimits& limits, bool has_goal);

/// Memory: the robust line reaches 95 % of the limit in the worst moment: with `crowding` times the
/// target, and a standard deviation of a Poisson number on top. Half the level of an out-of-memory
/// kill.
std::optional<Bound> memory_bound(const LevelTable& table, const ReplicaLimits& limits,
                                  const OutOfMemory& kill, double crowding);

/// The quantile that seconds at a level may reach the goal's limit with. The seconds of a replica
/// differ, and replicas start late: a fifth of what the goal lets pass is for a usual second.
double kept_quantile(double quantile);

/// Latency: where the quantile that is kept for the goal reaches its limit; without a goal, where
/// the median, by the time that requests take, is one and a half times that of an idle replica.
std::optional<Bound> latency_bound(const LevelTable& table,
                                   const std::optional<config::LatencyGoal>& goal);

/// The service time of a request that is alone, in seconds: of the quiet levels (at most two in
/// flight), else of the lowest level, continued down by the law. nullopt: no requests.
std::optional<double> idle_time(const LevelTable& table, double quantile);

/// Time at that level, from the levels around it; continued by the law. nullopt: no requests.
std::optional<double> time_at(const LevelTable& table, double level, double quantile);

/// The universal scalability law through the levels with enough seconds.
std::optional<Usl> law_of(const LevelTable& table);

using Bounds = std::array<std::optional<Bound>, kReasons>;

}  // namespace bellows::autoscaler::slow
