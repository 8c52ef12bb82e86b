// Whether a revision serves: Knative's condition Active, from which the scale to zero is timed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

enum class Serving : std::uint8_t {
  kInactive,    ///< no replica is needed                -> kActivating, kActive
  kActivating,  ///< needed, and fewer than min_ready are ready  -> kActive, kInactive
  kActive,      ///< enough are ready                            -> kActivating, kInactive
};

/// "inactive", "activating", "active".
std::string_view to_string(Serving state);

struct Activity {
  Serving state = Serving::kInactive;
  TimePoint since;
  bool operator==(const Activity&) const = default;
};

/// The inputs of next_activity().
struct ActivityView {
  PodCount desired = 0;  ///< < 0: unknown, the state does not become inactive
  PodCount ready = 0;
  PodCount min_ready = 1;  ///< ready replicas without which it is not active: max(min-scale, 1), or
                           ///< max(min-scale, initial-scale) until that was reached
};

/// The activity from now on (knative.md 3.4). `since` is kept while the state is.
Activity next_activity(const Activity& before, const ActivityView& view, TimePoint now);

}  // namespace bellows::autoscaler
