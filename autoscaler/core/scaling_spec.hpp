// The settings of one revision for its decider, resolved: percentages are ratios, defaults are
// filled in.
#pragma once

#include <optional>

#include "autoscaler/core/policy/policy_list.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler {

struct ScalingSpec {
  double target = 70;                  ///< load per replica, utilisation included; > 0
  double total = 100;                  ///< load that one replica is sized for, without utilisation
  double target_burst_capacity = 211;  ///< spare capacity; -1: the activator stays in the path
  double cpu_target = 0;               ///< usage / request per replica; 0: ignored
  double memory_target = 0;            ///< the same

  Duration stable_window = std::chrono::seconds(60);
  Duration panic_window = std::chrono::seconds(6);
  double panic_threshold = 2;      ///< panic mode from this many times the target on
  double max_scale_up_rate = 10;   ///< at most this many times the counted replicas per evaluation
  double max_scale_down_rate = 2;  ///< at least the counted replicas divided by this
  Duration scale_down_delay = Duration::zero();

  PodCount min_scale = 0;
  PodCount max_scale = 0;                 ///< 0: none; else >= min_scale
  PodCount initial_scale = 1;             ///< until so many were ready once
  PodCount activation_scale = 1;          ///< the minimum while there is load
  std::int32_t activator_capacity = 100;  ///< requests that one activator takes
  Duration scale_to_zero_grace_period = std::chrono::seconds(30);
  Duration pod_retention = Duration::zero();
  Duration progress_deadline = std::chrono::seconds(60);
  bool enable_scale_to_zero = true;
  config::MinScaleFrom min_scale_from = config::MinScaleFrom::kSetting;
  config::Metric metric = config::Metric::kConcurrency;

  config::ScalingRules rules;     ///< by which it is decided
  double free_deviations = 2.78;  ///< headroom square-root, in standard deviations of the load
  bool is_seed = false;           ///< as in 2018 (rules/seed.hpp)

  PolicyList policies;     ///< which decide; the maximum holds
  std::int32_t slots = 1;  ///< for policies: requests of a replica; 1: a replica is a room

  bool operator==(const ScalingSpec&) const = default;
};

/// Resolved numbers that replace those of the settings, for replaying another autoscaler.
struct TargetOverride {
  std::optional<double> target;  ///< `target-value`
  std::optional<double> total;   ///< `total-value`
};

/// Resolves checked settings.
ScalingSpec scaling_spec(const config::RevisionSettings& settings,
                         const TargetOverride& given = {});

/// Returns the policies of settings that name them. kMalformed names key, value and what is valid;
/// scaling_spec() takes the concurrency decider alone instead.
Result<PolicyList> policies_of(const config::RevisionSettings& settings);

}  // namespace bellows::autoscaler
