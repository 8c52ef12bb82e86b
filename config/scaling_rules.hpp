// The options of the decision rules. Most are settings of their own, so that they can be changed
// under any profile; the profile alone sets the others (config/profiles.hpp).
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/load_measure.hpp"

namespace bellows::config {

/// Capacity planned beyond the load.
enum class Headroom : std::uint8_t {
  kSquareRoot,   ///< by waiting-percentage and the standard deviation of the load, at most
                 ///< kUtilization
  kUtilization,  ///< a fixed share of any load (Knative, seed)
};
/// The load that scales up outside panic mode.
enum class EarlyScaleUp : std::uint8_t {
  kEvidence,  ///< also a statistically significant rise in a shorter window
  kWindow,    ///< the stable window alone (Knative, seed)
};
/// The time that the last replica stays without requests.
enum class KeepAlive : std::uint8_t {
  kLearned,   ///< a stable window; none after twelve longer idle times; or, if the known idle times
              ///< have a rhythm, none, with a new start just before a request is due
  kWindow,    ///< until the stable window has no load and the grace period is over (Knative)
  kConstant,  ///< until idle-clock passes without a request (seed)
};
/// Replicas for requests that are queued while no replica is ready.
enum class FirstReplicas : std::uint8_t {
  kForWaiting,  ///< enough for all of them
  kOne,         ///< one; the average decides later (Knative, seed)
};
/// The decision while the load is unknown.
enum class NoData : std::uint8_t {
  kHold,        ///< replicas whose load is unknown stay, at most for unknown_load_hold
  kNoDecision,  ///< none (Knative, seed)
};
/// The start of a decider while replicas run.
enum class AfterRestart : std::uint8_t {
  kHold,   ///< in panic mode at their number, without scale-down until enough load is known
  kPanic,  ///< in panic mode at their number (Knative)
};

/// The rules of a decider. The defaults are those of profile bellows.
struct ScalingRules {
  KeepAlive keep_alive = KeepAlive::kLearned;
  FirstReplicas first_replicas = FirstReplicas::kForWaiting;
  Headroom headroom = Headroom::kSquareRoot;
  double waiting_percentage = 0.3;  ///< of independent requests that find every slot taken
  EarlyScaleUp early_scale_up = EarlyScaleUp::kEvidence;
  double early_scale_up_z_score = 2.2;  ///< standard deviations of a significant rise
  Duration cold_start_worth = std::chrono::seconds(60);  ///< idle time worth one cold start
  Duration idle_clock = std::chrono::minutes(5);

  // Of the profile.
  WeightedMean weighted_mean = WeightedMean::kNormalized;
  AverageRounding average_rounding = AverageRounding::kNone;
  NoData no_data = NoData::kHold;
  AfterRestart after_restart = AfterRestart::kHold;
  double rounding_tolerance = 1e-6;  ///< fraction of a replica that is ignored
  Duration unknown_load_hold = std::chrono::minutes(10);

  bool operator==(const ScalingRules&) const = default;
};

/// Returns the probability that a request finds every slot taken when the slots exceed the mean
/// load by `deviations` square roots of it (Halfin and Whitt, "Heavy-traffic limits for queues with
/// many exponential servers", 1981): 1 / (1 + b P(b) / p(b)) with the standard normal distribution.
double waiting_probability(double deviations);

/// Returns the deviations, 0 to 6, at which that probability is `share`.
double deviations_for(double share);

}  // namespace bellows::config
