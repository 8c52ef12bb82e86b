// How many replicas, and why: the answer with everything that led to it.
#pragma once

#include <cstdint>
#include <string_view>

#include "autoscaler/core/decider_state.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// The last rule that set the number, in the order in which the rules are asked.
enum class Rule : std::uint8_t {
  kTarget,           ///< load of the stable window / target
  kRise,             ///< load of a shorter window, as far as chance does not explain it
  kLookAhead,        ///< a load that grows, as it will be at the end of a start
  kPanicTarget,      ///< load of the panic window / target, in panic
  kCpu,              ///< CPU of the ready replicas / cpu-utilization
  kMemory,           ///< their memory / memory-utilization
  kBuffer,           ///< spare replicas on top
  kWaiting,          ///< nobody serves and requests wait
  kNoData,           ///< some load is unknown: hold
  kDownRate,         ///< the counted replicas / max-scale-down-rate
  kUpRate,           ///< the counted replicas * max-scale-up-rate
  kActivationScale,  ///< there is load, so at least activation-scale
  kFreshStart,       ///< this decider has not seen enough yet to go below what is requested
  kPanicHold,        ///< nothing goes down in panic
  kGlide,            ///< more was asked for a moment ago
  kDelay,            ///< more was wanted within scale-down-delay
  kIdleClock,        ///< no request for idle-clock
  kInitialScale,     ///< it has not had initial-scale replicas ready yet
  kMinScale,         ///< min-scale, or enable-scale-to-zero: false
  kMaxScale,
  kExpected,     ///< a call is likely enough to come soon
  kLastReplica,  ///< it has not been active for a whole window
  kActivating,   ///< none is wanted any more, but the first has not become ready yet
  kProbe,        ///< the activator is not known to be in the path
  kRetention,    ///< scale-to-zero-pod-retention-period
  kGrace,        ///< scale-to-zero-grace-period
  kToZero,       ///< all of it is over
  kAtZero,       ///< nobody calls and nothing runs
  kRetired,
};
inline constexpr std::size_t kRules = 29;

/// Whether it holds a number that others asked for, or that was, up or down before the bounds.
inline bool is_hold(Rule rule) {
  return rule >= Rule::kNoData && rule <= Rule::kDelay;
}

/// As a word, for metrics, JSON and logs: "target", "panic-hold", ...
std::string_view to_string(Rule rule);
/// "stable", "panic".
std::string_view to_string(Mode mode);
/// "none", "no-metrics", "no-pod-count".
std::string_view to_string(Problem problem);

/// A number of replicas and the rule that set it last.
struct Answer {
  PodCount pods = 0;
  Rule rule = Rule::kTarget;

  void at_least(PodCount floor, Rule why) {
    if (pods < floor) *this = {floor, why};
  }
  void at_most(PodCount ceiling, Rule why) {
    if (pods > ceiling) *this = {ceiling, why};
  }
  bool operator==(const Answer&) const = default;
};

/// Everything but the spec, which seldom changes: a journal keeps many of these for one spec.
struct Outcome {
  TimePoint at;
  PodCount want = 0;       ///< the answer: replicas to run, not replicas to add
  PodCount desired = 0;    ///< before initial-scale, min-scale and max-scale
  PodCount bounded = 0;    ///< after them; `want` differs only on the way to zero
  PodCount undelayed = 0;  ///< before scale-down-delay
  Mode mode = Mode::kStable;
  Rule rule = Rule::kTarget;
  Rule desired_rule = Rule::kTarget;  ///< that set `desired`
  bool is_valid = true;               ///< false: nothing could be decided, only the bounds hold

  double amount = 0;           ///< replicas that the load asks for, not rounded
  PodCount stable_answer = 0;  ///< for the stable window's load with its headroom
  PodCount rise_answer = 0;    ///< for the load that shorter windows prove; 0: no more than that
  PodCount ahead_answer = 0;   ///< for the load at the end of a start; 0: no more than that
  PodCount panic_answer = 0;   ///< for the panic window's load with its headroom
  PodCount up_limit = 0;
  PodCount down_limit = 0;
  double panic_ratio = 0;  ///< what is held against the threshold (setting panic-ratio)
  /// Requests that could still come at once before the ready replicas are full, less the spare room
  /// that is wanted (knative.md 1.4, step 11); negative: the activator is needed in the path.
  double burst_capacity = 0;

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
