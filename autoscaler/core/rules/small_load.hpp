// Which rules decide: those of the settings, or Knative's while the load is small or bursty
// (setting small-load-rules; docs/decisions/0069-chosen-seldom.md).
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Why Knative's rules decide.
enum class SmallLoad : std::uint8_t {
  kSmall,   ///< the typical load is small
  kBursty,  ///< arrivals come in bursts
  kRecent,  ///< neither any more, but they decide since less than ten minutes
};

/// Nothing: the rules of the settings decide.
std::optional<SmallLoad> small_load(const Decision& decision);

/// Adds the load of the stable window to the typical load, and changes between the rules when it,
/// or the burstiness, is well beyond a limit. At most one change in ten minutes.
RuleChoice next_rule_choice(const Memory& memory, const ScalingSpec& spec, const Observation& seen,
                            TimePoint now);

/// `spec` with the rules that `choice` names. Applies to a result of itself as to the original.
ScalingSpec with_chosen_rules(ScalingSpec spec, const RuleChoice& choice);

/// What counts for a second without a report in the loads of the next observation.
config::MissingSeconds missing_seconds(const ScalingSpec& spec, const RuleChoice& choice);

}  // namespace bellows::autoscaler
