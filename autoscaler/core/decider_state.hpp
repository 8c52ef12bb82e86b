// What a decider remembers from one decision to the next. Everything else comes in as an
// observation, so this is all that has to survive a restart.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

enum class Mode : std::uint8_t {
  kStable,  ///< the stable window decides              -> kPanic
  kPanic,   ///< the larger window decides, only upward -> kStable
};

/// Present exactly while in panic.
struct Panic {
  TimePoint since;      ///< when it was entered
  TimePoint last_over;  ///< when the load was last over the threshold
  PodCount most = 0;    ///< the greatest answer since it was entered
  bool operator==(const Panic&) const = default;
};

/// Present from the start of a decider beside running replicas until it knows as much as it needs.
struct FreshStart {
  TimePoint since;
  /// How far back the predecessor knew the load. Nothing: no predecessor, a whole window is needed.
  std::optional<TimePoint> known_back_to;
  bool operator==(const FreshStart&) const = default;
};

struct DeciderState {
  std::optional<Panic> panic;
  std::optional<FreshStart> fresh;
  std::optional<TimePoint> idle_since;     ///< since when the whole stable window holds no load
  std::optional<TimePoint> known_back_to;  ///< begin of the seconds that the last decision knew
  PodCount want = 0;                       ///< the last answer

  Mode mode() const { return panic ? Mode::kPanic : Mode::kStable; }
  bool operator==(const DeciderState&) const = default;
};

}  // namespace bellows::autoscaler
