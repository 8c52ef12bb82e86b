// What a decider remembers from one decision to the next. Everything else comes in as an
// observation, so this is all that has to survive a restart.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/activity.hpp"
#include "autoscaler/core/burstiness.hpp"
#include "autoscaler/core/delay_window.hpp"
#include "autoscaler/core/gaps.hpp"
#include "autoscaler/core/glide.hpp"
#include "autoscaler/core/trend.hpp"
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
  TimePoint last_over;  ///< what its end is counted from (setting panic-extends)
  bool operator==(const Panic&) const = default;
};

/// Present from the start of a decider beside running replicas until it knows as much as it needs.
struct FreshStart {
  TimePoint since;
  /// How far back the predecessor knew the load. Nothing: no predecessor, a whole window is needed.
  std::optional<TimePoint> known_back_to;
  bool operator==(const FreshStart&) const = default;
};

/// The small part, of fixed size: a decision carries the one that follows from it.
struct Memory {
  std::optional<Panic> panic;
  std::optional<FreshStart> fresh;
  Activity activity;
  std::optional<TimePoint> silent_since;    ///< since when some load is unknown
  std::optional<TimePoint> proxying_since;  ///< since when the activator is needed in the path
  std::optional<TimePoint> known_back_to;   ///< begin of the seconds that the last decision knew
  TimePoint last_load;                      ///< when the last request was seen, or the begin
  double burst_capacity = 0;                ///< of the last decision; before it, what is planned
  Burstiness burstiness;                    ///< that the last decision reckoned with
  Trend trend;
  Glide glide;
  PodCount panic_max = 0;       ///< the greatest answer in panic so far; 0 when it is over
  PodCount want = 0;            ///< the last answer
  float service_seconds = 0;    ///< of one request, waiting left out; 0: unknown
  bool is_initialised = false;  ///< initial-scale was reached once

  Mode mode() const { return panic ? Mode::kPanic : Mode::kStable; }
  bool operator==(const Memory&) const = default;
};

/// All of it. What only remember() needs, and what is larger, is kept out of decisions; remember()
/// in decider.hpp brings it forward.
struct DeciderState : Memory {
  DelayWindow delay;
  Gaps gaps;
  RecentLoads recent_loads;

  bool operator==(const DeciderState&) const = default;
};

}  // namespace bellows::autoscaler
