// The settings of a planner. Most users set only one of them: the rate (R4, S5).
#pragma once

#include <cstdint>

#include "slack/core/sizing.hpp"

namespace bellows::slack {

struct Settings {
  Rate rate;
  std::int64_t granularity = 5;
  Base base = Base::kCapacity;
  Sizing sizing = Sizing::kAverage;
  /// Maximum utilisation of a node by its pods for its removal.
  double scale_down_utilisation = 0.5;
  /// Number of nodes simulated as removed in one loop, those with the lowest utilisation first.
  std::int64_t scale_down_candidates = 30;
  bool operator==(const Settings&) const = default;
};

}  // namespace bellows::slack
