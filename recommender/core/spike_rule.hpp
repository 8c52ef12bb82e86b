// The spike rule for one resource. Source: the proposal "Virtual Pod Autoscaler Recommender
// Rewrite"; docs/recommender.md answers its open questions.
#pragma once

#include <optional>

#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

/// Input of the rule, in millicores or bytes.
struct SpikeInput {
  std::optional<double> usage;  ///< highest of the replicas; nullopt: unknown
  double request = 0;           ///< 0: there are no thresholds
  std::optional<double> maximum;
  bool is_crash = false;  ///< the crash rule fires
  bool may_fall = true;   ///< observed for a whole window, and not in a crash loop
};

struct SpikeDecision {
  Rule rule = Rule::kHold;
  std::optional<double> target;  ///< nullopt: the last recommendation stays
  Chain chain;
};

/// Decides the target. Usage strictly above threshold-scale-up of the request: scale-up-factor
/// times the usage. Usage and maximum strictly below threshold-scale-down of it:
/// scale-down-safety-factor times the greater. In between: no target. A crash: twice the greater of
/// usage and request.
SpikeDecision spike_rule(const SpikeInput& input, const config::SpikeSettings& settings);

}  // namespace bellows::recommender
