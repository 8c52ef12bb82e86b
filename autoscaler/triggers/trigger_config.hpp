// The settings of the trigger policy, in Maestro's terms (v9.16): lists of triggers for each
// direction, with a minimum, a maximum and a cooldown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::triggers {

inline constexpr std::int64_t kMaxPods = 1'000'000;  ///< in settings and measures

/// The measure of a trigger, and its computation of the change.
enum class TriggerType : std::uint8_t {
  kLegacy,         ///< occupied / available; a constant change, `delta`
  kRoom,           ///< occupied / available; proportional
  kCpu,            ///< CPU used / requested; proportional
  kMemory,         ///< memory used / requested; proportional
  kBuffer,         ///< occupied and `amount` more, at once
  kRoomOccupancy,  ///< occupied / (1 - readyTarget), at once
};
inline constexpr std::size_t kMeasures = 4;  ///< the first types keep a history of points

/// Returns "legacy", "room", "cpu", "mem", "buffer" or "roomOccupancy".
std::string_view to_string(TriggerType type);

/// Returns true for types that compare a usage with a threshold over time.
inline bool has_history(TriggerType type) {
  return static_cast<std::size_t>(type) < kMeasures;
}

struct Trigger {
  TriggerType type = TriggerType::kRoom;
  std::int32_t usage = 80;      ///< percent; the target, from 1 to 100
  std::int32_t threshold = 80;  ///< percent of the points that lie beyond usage
  std::int32_t limit = 0;       ///< percent; from this usage on no history, no cooldown; 0: never
  std::int32_t delta = 0;       ///< replicas, for kLegacy; negative in down
  std::int32_t points = 60;     ///< capacity of the history: time / period
  Duration time = std::chrono::seconds(600);
  PodCount amount = 0;        ///< free replicas, for kBuffer
  double ready_target = 0;    ///< share that stays free, for kRoomOccupancy
  double down_threshold = 0;  ///< the same type in down: wanted / existing free, at most

  bool operator==(const Trigger&) const = default;
};

struct Direction {
  Duration cooldown = std::chrono::seconds(600);
  std::vector<Trigger> triggers;

  bool operator==(const Direction&) const = default;
};

/// A scale-up when a replica becomes occupied and more than `limit` percent are occupied
/// (deprecated by Maestro, off unless enablePanicScale).
struct PanicScale {
  std::int32_t limit = 90;
  PodCount delta = 1;

  bool operator==(const PanicScale&) const = default;
};

struct Config {
  PodCount min = 0;
  PodCount max = 0;  ///< 0: unbounded
  Duration period = std::chrono::seconds(10);
  Direction up;
  Direction down;
  std::optional<PanicScale> panic;

  bool operator==(const Config&) const = default;
};

/// Reads Maestro's keys: min, max, period, up, down, enablePanicScale; in up and down cooldown,
/// metricsTrigger, and the older delta and trigger, which become one trigger of type room as in
/// Maestro. Unknown keys, and values that contradict each other, are kMalformed and name key, value
/// and range. `others` has further valid keys of `object`.
Result<Config> read_config(const json::Object& object,
                           const std::vector<std::string_view>& others = {});

/// Returns the top-level keys of read_config().
const std::vector<std::string_view>& config_keys();

/// Writes the object that read_config() reads.
void write_config(json::Writer& out, const Config& config);

/// Returns an error with the known keys if `object` has a key outside `known`.
Result<void> only_known(const json::Object& object, const std::vector<std::string_view>& known);

}  // namespace bellows::autoscaler::triggers
