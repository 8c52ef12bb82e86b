// What was seen of one revision at one instant: everything a decision may rest on besides the spec.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// Load over one window. Seconds of which nobody reported are unknown and left out of the means.
struct WindowLoad {
  Concurrency total = 0;    ///< requests in flight in the whole revision; those that wait included
  Concurrency per_pod = 0;  ///< of that, in one replica; for people, nothing is decided from it
  std::int32_t covered_seconds = 0;  ///< of the window, how many are known

  bool operator==(const WindowLoad&) const = default;
};

struct Observation {
  WindowLoad stable;
  WindowLoad panic;

  /// Replicas that report and are not known to be still starting or already leaving. Counted in the
  /// stat stream, not in what was ordered, so that an order is never the ground for the next one.
  PodCount observed = 0;
  PodCount silent = 0;     ///< ready replicas that do not report: their load is unknown
  PodCount ready = 0;      ///< as the cluster says
  PodCount starting = 0;   ///< ordered and not ready yet, those that crashed included
  PodCount requested = 0;  ///< replicas the cluster was last asked for

  std::uint64_t waiting = 0;           ///< requests held by activators right now
  std::optional<TimePoint> last_load;  ///< end of the newest second with load that is known of
  bool is_retired = false;

  bool operator==(const Observation&) const = default;
};

}  // namespace bellows::autoscaler
