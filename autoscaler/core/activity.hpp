// Whether a revision serves: Knative's condition Active, which its way to zero is timed by.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

enum class Serving : std::uint8_t {
  kInactive,    ///< none are wanted                             -> kActivating, kActive
  kActivating,  ///< wanted, and fewer are ready than there must be  -> kActive, kInactive
  kActive,      ///< enough are ready                            -> kActivating, kInactive
};

/// "inactive", "activating", "active".
std::string_view to_string(Serving state);

struct Activity {
  Serving state = Serving::kInactive;
  TimePoint since;
  bool operator==(const Activity&) const = default;
};

/// What is held against the state before.
struct ActivityView {
  PodCount want = 0;  ///< < 0: not known, nothing is taken back
  PodCount ready = 0;
  PodCount min = 1;  ///< ready replicas without which it is not active: max(min-scale, 1), or
                     ///< max(min-scale, initial-scale) until that was reached
};

/// The activity from now on (knative.md 3.4). `since` is kept while the state is.
Activity next_activity(const Activity& before, const ActivityView& view, TimePoint now);

}  // namespace bellows::autoscaler
