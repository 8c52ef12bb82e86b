#include "recommender/core/spike_rule.hpp"

#include <algorithm>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/amounts.hpp"
#include "recommender/core/crash_rule.hpp"

namespace bellows::recommender {

namespace {

void decide(SpikeDecision& decision, Rule rule, double factor, double of) {
  decision.rule = rule;
  decision.target = factor * of;
  decision.chain.add(Stage::kFactor, factor, *decision.target);
}

void note_facts(SpikeDecision& decision, const SpikeInput& input) {
  if (input.usage) decision.chain.add(Stage::kUsage, 0, *input.usage);
  if (input.request > 0) decision.chain.add(Stage::kRequest, 0, input.request);
}

void scale_up(SpikeDecision& decision, const SpikeInput& input, double usage, double upper,
              const config::SpikeSettings& settings) {
  if (input.request > 0) {
    decision.chain.add(Stage::kThreshold, settings.threshold_scale_up, upper);
  }
  decide(decision, Rule::kScaleUp, settings.scale_up_factor, usage);
}

/// Scales down or waits for a whole window, when usage and maximum are less than the lower
/// threshold.
void weigh_maximum(SpikeDecision& decision, const SpikeInput& input, double usage,
                   const config::SpikeSettings& settings) {
  const double highest = std::max(usage, input.maximum.value_or(usage));
  const double lower = part_of(settings.threshold_scale_down, input.request);
  decision.chain.add(Stage::kMaximum, 0, highest);
  if (highest >= lower) return;
  decision.chain.add(Stage::kThreshold, settings.threshold_scale_down, lower);
  if (input.may_fall) {
    decide(decision, Rule::kScaleDown, settings.scale_down_safety_factor, highest);
  } else {
    decision.rule = Rule::kObserving;
  }
}

}  // namespace

SpikeDecision spike_rule(const SpikeInput& input, const config::SpikeSettings& settings) {
  SpikeDecision decision;
  note_facts(decision, input);
  const double greater = std::max(input.usage.value_or(0), input.request);
  const double upper = part_of(settings.threshold_scale_up, input.request);
  if (input.is_crash && greater > 0) {
    decide(decision, Rule::kCrash, kCrashFactor, greater);
  } else if (!input.usage) {
    decision.rule = Rule::kNoSamples;
  } else if (*input.usage > upper) {  // without a request this is any usage
    scale_up(decision, input, *input.usage, upper, settings);
  } else {
    weigh_maximum(decision, input, *input.usage, settings);
  }
  return decision;
}

}  // namespace bellows::recommender
