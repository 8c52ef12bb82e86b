// How many replicas, and why: the answer with everything that led to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "autoscaler/core/decider_state.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// The last rule that set the number, in the order in which the rules are asked.
enum class Rule : std::uint8_t {
  kTarget,       ///< load of the stable window / target
  kPanicTarget,  ///< load of the panic window / target, in panic
  kNoData,       ///< replicas run but their load is unknown: hold
  kWaiting,      ///< nobody serves and requests wait
  kUpRate,       ///< max-scale-up-rate times the observed replicas
  kFreshStart,   ///< this decider has not seen enough yet to go below what is requested
  kPanicHold,    ///< nothing goes down in panic
  kLastReplica,  ///< the last one stays until window and grace time are over
  kToZero,       ///< they are over
  kAtZero,       ///< nobody calls and nothing runs
  kMinScale,     ///< min-scale, or enable-scale-to-zero: false
  kMaxScale,
  kRetired,
};
inline constexpr std::size_t kRules = 13;

/// As a word, for metrics, JSON and logs: "target", "panic-hold", ...
std::string_view to_string(Rule rule);
/// "stable", "panic".
std::string_view to_string(Mode mode);

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

/// Small enough that a ring of them fits a revision's budget (journal.hpp); copied freely.
struct Decision {
  TimePoint at;
  PodCount want = 0;           ///< the answer: replicas to run, not replicas to add
  PodCount before_bounds = 0;  ///< the same before min-scale and max-scale
  Mode mode = Mode::kStable;
  Rule rule = Rule::kTarget;

  PodCount stable_answer = 0;  ///< ceil(stable load / target)
  PodCount panic_answer = 0;   ///< ceil(panic load / target)
  PodCount up_limit = 0;
  double panic_ratio = 0;  ///< panic load per serving replica / target, not rounded
  /// Requests that could still come at once before the ready replicas are full, less the spare room
  /// that is wanted (knative.md 1.4, step 11); negative: the activator is needed in the path.
  double burst_capacity = 0;

  ScalingSpec spec;
  Observation seen;
  DeciderState after;  ///< what the next decision starts from

  bool operator==(const Decision&) const = default;
};

}  // namespace bellows::autoscaler
