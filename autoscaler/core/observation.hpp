// What was seen of one revision at one instant: everything a decision may rest on besides the spec
// and the decider's own memory.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// Load over one window, in the revision's metric: requests in flight, or requests a second.
struct WindowLoad {
  double total = 0;                  ///< of the whole revision; requests that wait included
  double per_pod = 0;                ///< mean of all reports of all replicas
  std::int32_t covered_seconds = 0;  ///< of the window, how many are known

  bool operator==(const WindowLoad&) const = default;
};

/// Why an observation is no ground for a decision.
enum class Problem : std::uint8_t {
  kNone,
  kNoMetrics,   ///< the averages could not be had
  kNoPodCount,  ///< the replicas could not be counted
};

struct Observation {
  WindowLoad stable;
  WindowLoad panic;
  double newest = 0;       ///< the load of the newest second
  double stable_rate = 0;  ///< requests a second that reached replicas, over the stable window
  double panic_rate = 0;   ///< the same over the panic window

  /// Replicas that report and are not known to be still starting or already leaving. Counted in the
  /// stat stream, not in what was ordered, so that an order is never the ground for the next one.
  PodCount observed = 0;
  PodCount in_window = 0;  ///< replicas that reported within the stable window
  PodCount silent = 0;     ///< ready replicas that do not report: their load is unknown
  PodCount ready = 0;      ///< as the cluster says
  PodCount starting = 0;   ///< ordered and not ready yet, those that crashed included
  PodCount requested = 0;  ///< replicas the cluster was last asked for

  std::uint64_t waiting = 0;           ///< requests held by activators right now
  std::optional<Duration> idle_for;    ///< since the last request that is known of
  std::optional<Duration> start_time;  ///< learned: from an order to a ready replica
  std::optional<double> cpu;           ///< mean over the ready replicas of usage / request
  std::optional<double> memory;        ///< the same
  bool is_reachable = true;            ///< callers are routed here, as far as is known
  bool does_activator_answer = true;   ///< under the revision's address, where that can be asked
  bool is_retired = false;
  Problem problem = Problem::kNone;

  bool operator==(const Observation&) const = default;
};

}  // namespace bellows::autoscaler
