// The observation of one revision at one instant: everything a decision depends on besides the spec
// and the decider's own memory.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/policy/policy_seen.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// The time between two decisions of a revision (knative.md 1.5). A constant of the rules, not a
/// setting: the rates of a ScalingSpec are per evaluation.
inline constexpr Duration kEvaluationPeriod = std::chrono::seconds(2);

/// Load over one window, in the revision's metric: requests in flight, or requests a second.
struct WindowLoad {
  double total = 0;                  ///< of the whole revision, waiting requests included
  double per_pod = 0;                ///< mean of all reports of all replicas
  std::int32_t covered_seconds = 0;  ///< of the window, how many are known
  double queued = 0;                 ///< the part of `total` that waits in activators

  bool operator==(const WindowLoad&) const = default;
};

/// The reason for which an observation cannot be decided on.
enum class Problem : std::uint8_t {
  kNone,
  kNoMetrics,   ///< the load could not be measured
  kNoPodCount,  ///< the replicas could not be counted
};

struct Observation {
  WindowLoad stable;
  WindowLoad panic;
  double newest = 0;       ///< the load of the newest second
  double stable_rate = 0;  ///< requests a second that reached replicas, over the stable window
  double panic_rate = 0;   ///< the same over the panic window

  /// Replicas that report and are neither starting nor leaving. Counted in the stat stream and not
  /// in the orders, so that an order is never the reason for the next one.
  PodCount observed = 0;
  PodCount in_window = 0;      ///< replicas that reported within the stable window
  PodCount not_reporting = 0;  ///< ready replicas whose load is unknown
  PodCount ready = 0;          ///< as the cluster lists them
  PodCount starting = 0;       ///< ordered and not ready yet, crashed ones included
  PodCount failing = 0;        ///< of the starting ones: crashed, or not ready in time
  PodCount requested = 0;      ///< the last order to the cluster

  std::uint64_t waiting = 0;           ///< requests that wait in activators
  std::optional<Duration> idle_for;    ///< since the last known request
  std::optional<Duration> start_time;  ///< learned: from an order to a ready replica
  Duration start_spread{};             ///< the mean deviation from it
  std::optional<double> cpu;           ///< mean over the ready replicas of usage / request
  std::optional<double> memory;        ///< the same
  bool is_reachable = true;            ///< requests are routed here
  bool does_activator_answer = true;   ///< a probe of the address reaches it
  bool is_retired = false;
  bool is_paused = false;  ///< the number stays as it is
  Problem problem = Problem::kNone;
  PolicySeenPtr policy = {};  ///< for other policies, and who is occupied; none: not looked at

  // Of the one machine that all replicas run on, if it keeps room (docs/sizing.md).
  /// To so many it should come down, so that the next replica of another service fits.
  std::optional<PodCount> room_limit = {};
  std::optional<PodCount> room_more = {};  ///< how many more replicas fit

  bool operator==(const Observation&) const = default;
};

}  // namespace bellows::autoscaler
