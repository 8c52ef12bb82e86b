// How many replicas, and why: the number with everything that led to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// The last rule that set the number, in the order in which the rules apply.
enum class Rule : std::uint8_t {
  kTarget,           ///< load of the stable window / target
  kEarlyScaleUp,     ///< load of a shorter window, as far as it is statistically significant
  kPanicTarget,      ///< load of the panic window / target, in panic
  kUsage,            ///< CPU or memory of the ready replicas / its utilization
  kWaiting,          ///< requests wait and no replica serves
  kNoData,           ///< some load is unknown, or the decider has just started: hold
  kDownRate,         ///< the counted replicas / max-scale-down-rate
  kUpRate,           ///< the counted replicas * max-scale-up-rate
  kActivationScale,  ///< with load, at least activation-scale
  kPanicHold,        ///< nothing scales down in panic mode
  kDelay,            ///< more was needed within scale-down-delay
  kInitialScale,     ///< initial-scale replicas have not been ready yet
  kMinScale,         ///< min-scale, or enable-scale-to-zero: false
  kMaxScale,
  kExpected,     ///< a request is likely soon
  kLastReplica,  ///< it has not been active for a whole window, or is not ready yet
  kGrace,        ///< until the activator is in the path; or pod-retention-period
  kToZero,       ///< none of the above keeps a replica
  kAtZero,       ///< no requests and no replicas
  kMachineRoom,  ///< the machine is full, and another service needs the room more
  kPolicy,       ///< another policy than the concurrency decider asks for the most
  kOccupied,     ///< occupied replicas stay
  kPaused,       ///< the number stays as it is
  kRetired,
};
inline constexpr std::size_t kRules = 24;

/// The load that an early demand is for (rule early-scale-up).
enum class EarlyLoad : std::uint8_t {
  kNone,          ///< there is none
  kPanicWindow,   ///< the load of the panic window, which is more than chance
  kNewestSecond,  ///< that of the newest second, which is more than chance
  kLasting,       ///< requests of the newest second that outlast a start
};

/// True for the rules between demand and bounds, which keep or limit the number.
inline bool is_hold(Rule rule) {
  return rule >= Rule::kNoData && rule <= Rule::kDelay;
}

/// Returns the name in metrics, JSON and logs: "target", "panic-hold", ...
std::string_view to_string(Rule rule);
/// Returns "none", "panic-window", "newest-second" or "lasting".
std::string_view to_string(EarlyLoad load);
/// Returns "stable" or "panic".
std::string_view to_string(Mode mode);
/// Returns "none", "no-metrics" or "no-pod-count".
std::string_view to_string(Problem problem);

/// A number of replicas and the rule that set it last.
struct DesiredReplicas {
  PodCount pods = 0;
  Rule rule = Rule::kTarget;

  void raise_to(PodCount floor, Rule why) {
    if (pods < floor) *this = {floor, why};
  }
  void limit_to(PodCount ceiling, Rule why) {
    if (pods > ceiling) *this = {ceiling, why};
  }
  bool operator==(const DesiredReplicas&) const = default;
};

/// Everything but the spec, which seldom changes: a journal keeps many of these per spec.
struct Outcome {
  TimePoint at;
  PodCount replicas = 0;   ///< to run, not to add
  PodCount desired = 0;    ///< before initial-scale, min-scale and max-scale
  PodCount bounded = 0;    ///< after them; `replicas` differs only while scaling to zero
  PodCount undelayed = 0;  ///< before scale-down-delay
  PodCount needed = 0;     ///< by load, bounds and occupied replicas; the rest is only kept
  Mode mode = Mode::kStable;
  Rule rule = Rule::kTarget;
  Rule desired_rule = Rule::kTarget;  ///< that set `desired`
  bool is_valid = true;               ///< false: nothing could be decided, only the bounds apply

  double dispersion = 1;                    ///< of the load, as the headroom used it
  double amount = 0;                        ///< demand of the load, not rounded
  PodCount stable_demand = 0;               ///< for the stable window's load with its headroom
  PodCount early_demand = 0;                ///< for a significant rise in shorter windows; 0: none
  EarlyLoad early_load = EarlyLoad::kNone;  ///< that `early_demand` is for
  PodCount panic_demand = 0;                ///< for the panic window's load with its headroom
  PodCount up_limit = 0;
  PodCount down_limit = 0;
  double panic_ratio = 0;  ///< compared with the threshold
  /// Requests that may still arrive at once before the ready replicas are full, minus
  /// target-burst-capacity (knative.md 1.4, step 11). Negative: the activator is needed in the
  /// path.
  double burst_capacity = 0;

  /// The proposals of all policies; nullptr: the concurrency decider decides alone. Owners: copies
  /// of the decision.
  std::shared_ptr<const PolicyOutcome> policies = {};
  Observation seen;
  Memory after;  ///< what the next decision starts from, together with remember()

  bool operator==(const Outcome&) const = default;
};

/// Plain data; copied freely.
struct Decision : Outcome {
  ScalingSpec spec;

  bool operator==(const Decision&) const = default;
};

}  // namespace bellows::autoscaler
