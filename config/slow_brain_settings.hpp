// Settings of the slow brain: the mode of learning the target load of a replica, its bounds, and
// the latency goal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/field.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// The use of the target that the slow brain finds (docs/slow-brain.md).
enum class SlowBrain : std::uint8_t {
  kOff,     ///< nothing is learned
  kAdvise,  ///< learned and shown; no decision changes
  kAuto,    ///< the decider uses it
};
std::string_view to_string(SlowBrain mode);

/// "p95 < 200ms": of the time from a request's arrival at the replica to its end.
struct LatencyGoal {
  double quantile = 0.95;  ///< 0.5, 0.95 or 0.99
  Duration limit{};        ///< > 0

  bool operator==(const LatencyGoal&) const = default;
};

/// Reads a goal; kInvalidSetting has the value and the valid form.
Result<LatencyGoal> parse_latency_goal(std::string_view text);
std::string to_string(const LatencyGoal& goal);
TextFormat latency_goal_format();

/// Part of RevisionSettings.
struct SlowBrainSettings {
  SlowBrain mode = SlowBrain::kAdvise;
  std::string latency_goal;                           ///< checked; empty: none
  Duration latency_window = std::chrono::minutes(5);  ///< over which the goal is judged
  double target_min = 1;
  double target_max = 1000;

  /// Returns the goal; nullopt: none is set.
  std::optional<LatencyGoal> goal() const;

  bool operator==(const SlowBrainSettings&) const = default;
};

const Schema<SlowBrainSettings>& slow_brain_schema();

}  // namespace bellows::config
