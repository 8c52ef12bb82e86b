#include "autoscaler/core/scaling_spec.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

double ratio(const std::optional<double>& percentage) {
  return percentage.value_or(0) / 100;
}

/// Keeps a fixed utilisation that is set explicitly. The square root applies to requests in flight:
/// a rate, or the load of one replica, has another variance.
config::ScalingRules resolved_rules(const config::RevisionSettings& settings, bool is_given) {
  config::ScalingRules rules = settings.rules;
  const bool is_fixed = is_given || settings.target_utilization_percentage.has_value() ||
                        settings.metric != config::Metric::kConcurrency;
  if (is_fixed) rules.headroom = config::Headroom::kUtilization;
  return rules;
}

}  // namespace

Result<PolicyList> policies_of(const config::RevisionSettings& settings) {
  return PolicyList::make(settings.policy, settings.autoscaling);
}

ScalingSpec scaling_spec(const config::RevisionSettings& settings, const TargetOverride& given) {
  return {.target = given.target.value_or(settings.effective_target()),
          .total = given.total.value_or(settings.total_target()),
          .target_burst_capacity = settings.target_burst_capacity,
          .cpu_target = ratio(settings.cpu_utilization),
          .memory_target = ratio(settings.memory_utilization),
          .stable_window = settings.window,
          .panic_window = settings.panic_window(),
          .panic_threshold = settings.panic_threshold_percentage / 100,
          .max_scale_up_rate = settings.max_scale_up_rate,
          .max_scale_down_rate = settings.max_scale_down_rate,
          .scale_down_delay = settings.scale_down_delay,
          .min_scale = settings.min_scale,
          .max_scale = settings.max_scale,
          .initial_scale = settings.initial_scale,
          .activation_scale = settings.activation_scale.value_or(1),
          .scale_to_zero_grace_period = settings.scale_to_zero_grace_period,
          .pod_retention = settings.scale_to_zero_pod_retention_period,
          .progress_deadline = settings.progress_deadline,
          .enable_scale_to_zero = settings.enable_scale_to_zero,
          .min_scale_from = settings.min_scale_from,
          .metric = settings.metric,
          .rules = resolved_rules(settings, given.target.has_value()),
          .free_deviations = config::deviations_for(settings.rules.waiting_percentage / 100),
          .is_seed = settings.profile == config::Profile::kSeed,
          .policies = policies_of(settings).value_or(PolicyList()),
          .slots = std::max(1, settings.container_concurrency)};
}

}  // namespace bellows::autoscaler
