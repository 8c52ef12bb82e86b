// What a decider remembers from one decision to the next. Everything else is part of the
// observation, so this is all that has to survive a restart.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/load/dispersion.hpp"
#include "autoscaler/core/policy/policy_list.hpp"
#include "autoscaler/core/state/activity.hpp"
#include "autoscaler/core/state/delay_window.hpp"
#include "autoscaler/core/state/idle_times.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

enum class Mode : std::uint8_t {
  kStable,  ///< the stable window decides                   -> kPanic
  kPanic,   ///< the panic window may decide, only upward    -> kStable
};

/// Present exactly while in panic.
struct Panic {
  TimePoint since;      ///< when it was entered
  TimePoint last_over;  ///< from which its end is counted
  bool operator==(const Panic&) const = default;
};

/// Present from the start of a decider with running replicas until it knows enough.
struct FreshStart {
  TimePoint since;
  /// The time back to which the predecessor knew the load. Nothing: no predecessor, a whole window
  /// is needed.
  std::optional<TimePoint> known_back_to;
  bool operator==(const FreshStart&) const = default;
};

/// The small part, of fixed size: a decision holds the one that follows from it.
struct Memory {
  std::optional<Panic> panic;
  std::optional<FreshStart> fresh;
  Activity activity;
  std::optional<TimePoint> load_unknown_since;  ///< since when some load is unknown
  std::optional<TimePoint> proxying_since;      ///< since when the activator is needed in the path
  std::optional<TimePoint> known_back_to;  ///< start of the seconds that the last decision knew
  TimePoint last_load;                     ///< when the last request arrived, or the start
  double burst_capacity = 0;               ///< of the last decision; before it, planned
  PodCount panic_max = 0;                  ///< the greatest number in panic mode so far; 0 outside
  PodCount replicas = 0;                   ///< of the last decision
  /// The number to which it came down for another service. Holds do not raise it again.
  std::optional<PodCount> room_made = {};
  LoadSpread spread;
  float service_seconds = 0;    ///< of one request, without waiting; 0: unknown
  bool is_initialised = false;  ///< initial-scale was reached once

  Mode mode() const { return panic ? Mode::kPanic : Mode::kStable; }
  bool operator==(const Memory&) const = default;
};

/// All of it. What is larger, or used by remember() only, is kept out of decisions.
struct DeciderState : Memory {
  DelayWindow delay;
  IdleTimes idle_times;
  PolicyMemories policies;

  bool operator==(const DeciderState&) const = default;
};

}  // namespace bellows::autoscaler
