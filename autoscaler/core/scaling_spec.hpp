// What one revision asks of its decider, resolved: percentages are ratios, defaults are filled in.
#pragma once

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler {

/// How often each revision is decided (knative.md 1.5). A constant of the rules, not a setting: the
/// rates below are per evaluation.
inline constexpr Duration kEvaluationPeriod = std::chrono::seconds(2);

struct ScalingSpec {
  Concurrency target = 70;  ///< wanted in flight per replica, utilisation included; > 0
  Concurrency total = 100;  ///< in flight that one replica is sized for, without utilisation
  double target_burst_capacity = 211;  ///< spare room wanted; -1: the activator never leaves

  Duration stable_window = std::chrono::seconds(60);
  Duration panic_window = std::chrono::seconds(6);
  double panic_threshold = 2;     ///< panic from this many times the target on
  double max_scale_up_rate = 10;  ///< at most this many times the observed replicas per evaluation

  PodCount min_scale = 0;
  PodCount max_scale = 0;  ///< 0: none; else >= min_scale
  bool enable_scale_to_zero = true;
  Duration scale_to_zero_grace_period = std::chrono::seconds(30);

  bool operator==(const ScalingSpec&) const = default;
};

/// The spec that checked settings ask for.
ScalingSpec scaling_spec(const config::RevisionSettings& settings);

}  // namespace bellows::autoscaler
