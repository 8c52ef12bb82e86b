// Maestro's decision (v9.16) over lists of triggers: from the replicas' occupancy and usage to a
// change of their number. docs/decisions/autoscaler.md lists the differences with their reasons.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/triggers/rooms.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "autoscaler/triggers/usage_history.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::triggers {

/// Maestro's state of a scheduler. Each may follow each.
enum class State : std::uint8_t {
  kCreating,     ///< no decision, points are kept
  kInSync,       ///< no change is due
  kTooFew,       ///< an up trigger fired and waits for the cooldown
  kTooMany,      ///< a down trigger fired and waits for the cooldown
  kTerminating,  ///< no decision
};
/// Returns "creating", "in-sync", "subdimensioned", "overdimensioned" or "terminating".
std::string_view to_string(State state);
/// The state of that name.
std::optional<State> state_named(std::string_view name);

/// The input of one tick.
struct Tick {
  TimePoint at;
  Rooms rooms;
  /// Slots of a replica. 1: a trigger counts `rooms`, as replicas. More: it counts slots, of which
  /// `load` are in use (maestro.md 1.8: room usage 70 is a target utilization of 70 %).
  std::int32_t slots = 1;
  std::optional<double> load;  ///< slots in use, mean; only if slots > 1; unknown: nullopt
  std::optional<Consumption> cpu;
  std::optional<Consumption> memory;
  std::optional<State> state;  ///< an external state; nullopt: that of the memory
};

/// The step of the decision that set the number (maestro.md 1.3).
enum class Step : std::uint8_t {
  kNotDecided,  ///< creating or terminating
  kBelowMin,
  kAboveMax,
  kLimit,      ///< an up trigger's limit, despite the cooldown
  kThreshold,  ///< a trigger's points, after the cooldown
  kAtOnce,     ///< a trigger without a history: buffer, roomOccupancy
  kCooling,    ///< a trigger fired within the cooldown
  kPanic,      ///< enablePanicScale
  kNothing,    ///< no trigger fired
  kNoData,     ///< no trigger fired, and the usage of one is unknown
};

struct Outcome {
  PodCount delta = 0;    ///< as computed
  PodCount applied = 0;  ///< within min and max
  Step step = Step::kNothing;
  bool is_up = true;        ///< of the trigger
  std::int32_t index = -1;  ///< of the trigger in its list; -1: none
  double usage = 0;         ///< of that trigger now
  std::int32_t beyond = 0;  ///< points beyond its usage
  Duration cooling{};       ///< time until the cooldown is over
  State state = State::kInSync;

  bool operator==(const Outcome&) const = default;
};

/// The memory from tick to tick. Pure data; owner: a policy's memory or a replay.
struct Memory {
  std::array<UsageHistory, kMeasures> points;  ///< by TriggerType
  std::vector<Beyond> beyond;                  ///< of up's triggers, then down's
  std::optional<TimePoint> last_scale;         ///< of the last change; one for both directions
  State state = State::kInSync;
  PodCount occupied = 0;  ///< at the last tick, for the panic scale

  bool operator==(const Memory&) const = default;
};

/// Prepares `memory` for `config`: sizes of histories and sums. It does no work if they fit
/// already.
void fit(Memory& memory, const Config& config);

/// Decides. `memory` fits `config`. It reads only one point of history per trigger.
Outcome decide(const Config& config, const Memory& memory, const Tick& tick);

/// Records the tick, and the time of the change.
void remember(Memory& memory, const Config& config, const Tick& tick, const Outcome& outcome);

/// Decides between two points: only the panic scale, which does not wait for a point.
Outcome decide_between(const Config& config, const Memory& memory, const Tick& tick);
/// Records the state with which the next decide_between() compares.
void remember_between(Memory& memory, const Tick& tick);

/// Returns the usage for a trigger of this type, a share from 0; unknown without data.
double usage_of(TriggerType type, const Tick& tick);

/// Returns the change that `trigger` computes from the tick; 0 without data (maestro.md 1.4, 1.9).
PodCount delta_of(const Trigger& trigger, const Tick& tick);

/// Returns "up[0] room", "min", "max", "panic scale" or "none".
std::string trigger_name(const Config& config, const Outcome& outcome);
/// Returns the reason in one line.
std::string reason(const Config& config, const Tick& tick, const Outcome& outcome);

}  // namespace bellows::autoscaler::triggers
