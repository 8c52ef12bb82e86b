#include "autoscaler/core/rules/small_load.hpp"

#include <algorithm>

#include "autoscaler/core/load/burstiness.hpp"

namespace bellows::autoscaler {
namespace {

constexpr double kMaxSmall = 10;  ///< requests in flight
constexpr double kMinBursty = 7;  ///< index of dispersion
/// Beyond either limit by this factor, so that a load near it does not change the rules.
constexpr double kClear = 1.5;
constexpr Duration kBetweenChanges = std::chrono::minutes(10);

constexpr double kMemorySeconds = 3600;
/// The first seconds count as if so many had been seen.
constexpr double kFirstSeconds = 120;
/// The load of a stable window says nothing about a longer pause between two decisions.
constexpr Duration kMaxStep = 2 * kEvaluationPeriod;

const config::ScalingRules& given(const ScalingSpec& spec) {
  return spec.given_rules ? *spec.given_rules : spec.rules;
}

/// The limits are of requests in flight of the whole revision.
bool is_chosen(const ScalingSpec& spec) {
  const config::ScalingRules& rules = given(spec);
  return rules.small_load_rules == config::SmallLoadRules::kKnative &&
         spec.metric == config::Metric::kConcurrency &&
         rules.observed_load == config::ObservedLoad::kTotal;
}

void add_load(RuleChoice& choice, double load, TimePoint now) {
  const double seconds = to_seconds(std::min(now - choice.seen_at, kMaxStep));
  choice.seen_at = now;
  if (load <= 0 || seconds <= 0) return;
  const double known = std::min(choice.known_seconds + seconds, kMemorySeconds);
  const double weight = seconds / std::max(known, kFirstSeconds);
  choice.known_seconds = static_cast<float>(known);
  choice.typical_load += static_cast<float>(weight * (load - choice.typical_load));
}

/// Beyond it, the rules change.
double margin(const RuleChoice& choice) {
  return choice.is_as_knative ? kClear : 1 / kClear;
}

bool is_small(const RuleChoice& choice) {
  return choice.typical_load < kMaxSmall * margin(choice);
}

bool is_bursty(const RuleChoice& choice, const Burstiness& burstiness) {
  return spread_index(burstiness) > kMinBursty / margin(choice);
}

/// What costs callers time where a load is small: headroom and scale-up that need a large one to be
/// sure of it, and smoothing that keeps what is not needed. Keep-alive is not among them.
config::ScalingRules as_knative(config::ScalingRules rules) {
  rules.missing_seconds = config::MissingSeconds::kZero;
  rules.backlog = config::Backlog::kLoad;
  rules.pod_count = config::CountedPods::kReady;
  rules.first_replicas = config::FirstReplicas::kOne;
  rules.down_rate_order = config::DownRateOrder::kBeforeDelay;
  rules.headroom = config::Headroom::kUtilization;
  rules.early_scale_up = config::EarlyScaleUp::kWindow;
  rules.look_ahead = false;
  rules.scale_down_smoothing = config::Smoothing::kNone;
  rules.panic_exit_percentage = 100;
  return rules;
}

}  // namespace

std::optional<SmallLoad> small_load(const Decision& decision) {
  if (!decision.spec.given_rules) return std::nullopt;
  const RuleChoice& choice = decision.after.rule_choice;
  if (is_small(choice)) return SmallLoad::kSmall;
  return is_bursty(choice, decision.after.burstiness) ? SmallLoad::kBursty : SmallLoad::kRecent;
}

RuleChoice next_rule_choice(const Memory& memory, const ScalingSpec& spec, const Observation& seen,
                            TimePoint now) {
  RuleChoice next = memory.rule_choice;
  if (!is_chosen(spec)) return next;
  add_load(next, seen.stable.total, now);
  const bool is_as_knative = is_small(next) || is_bursty(next, memory.burstiness);
  if (is_as_knative == next.is_as_knative || now - next.since < kBetweenChanges) return next;
  next.is_as_knative = is_as_knative;
  next.since = now;
  return next;
}

config::MissingSeconds missing_seconds(const ScalingSpec& spec, const RuleChoice& choice) {
  const bool is_as_knative = is_chosen(spec) && choice.is_as_knative;
  return is_as_knative ? config::MissingSeconds::kZero : given(spec).missing_seconds;
}

ScalingSpec with_chosen_rules(ScalingSpec spec, const RuleChoice& choice) {
  if (spec.given_rules) {
    spec.rules = *spec.given_rules;
    spec.given_rules.reset();
  }
  if (!is_chosen(spec) || !choice.is_as_knative) return spec;
  spec.given_rules = spec.rules;
  spec.rules = as_knative(spec.rules);
  return spec;
}

}  // namespace bellows::autoscaler
