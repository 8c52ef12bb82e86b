// The options of the decision rules. Each is a setting of its own, so that it can be changed under
// any profile (config/profiles.hpp).
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/load_measure.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// The value compared with panic-threshold-percentage.
enum class PanicRatio : std::uint8_t {
  kExact,    ///< load of the panic window / (replicas * target)
  kRounded,  ///< the same with load / target rounded up to whole replicas first (Knative)
  kPerPod,   ///< mean load of one replica / target (seed)
};
/// When the end of panic mode is postponed.
enum class PanicExtends : std::uint8_t {
  kWhileOver,   ///< at every decision that finds the load over the threshold
  kOnIncrease,  ///< at every decision in which panic mode scales up (seed)
};
/// The window that decides in panic mode.
enum class PanicDecides : std::uint8_t {
  kLargerWindow,  ///< the one with the higher demand
  kPanicWindow,   ///< the panic window alone (seed)
};
/// The load of a window that is divided by the target.
enum class ObservedLoad : std::uint8_t {
  kTotal,       ///< of the whole revision
  kMeanPerPod,  ///< the mean of all reports of all replicas, times the replicas (seed)
};
/// What requests that wait in activators count for.
enum class Backlog : std::uint8_t {
  kDrains,  ///< the part of a slot that each takes until the queue is drained
  kLoad,    ///< a slot each, as if they stayed (Knative, seed)
};
/// The replicas that rates and ratios refer to.
enum class CountedPods : std::uint8_t {
  kReady,     ///< ready in the cluster (Knative)
  kObserved,  ///< those that report
  kWindow,    ///< those that reported within the stable window (seed)
};
enum class MissingSeconds : std::uint8_t { kUnknown, kZero };
/// Capacity planned beyond the load.
enum class Headroom : std::uint8_t {
  kSquareRoot,   ///< headroom-factor standard deviations of the load, at most kUtilization
  kUtilization,  ///< a fixed share of any load (Knative, seed)
};
/// What scales up outside panic mode.
enum class EarlyScaleUp : std::uint8_t {
  kEvidence,  ///< also a statistically significant rise in a shorter window
  kWindow,    ///< the stable window alone (Knative, seed)
};
/// How the number of replicas decreases to the demand.
enum class Smoothing : std::uint8_t {
  kExponential,  ///< within a few times scale-down-smoothing-time
  kNone,         ///< at once (Knative, seed)
};
/// How long the last replica stays without requests.
enum class KeepAlive : std::uint8_t {
  kLearned,   ///< for a stable window; or, if the idle times seen so far have a rhythm, not at all,
              ///< and started again just before a request is due
  kWindow,    ///< until the stable window holds no load and the grace period is over (Knative)
  kConstant,  ///< until there was no request for idle-clock (seed)
};
/// Replicas for requests that are queued while no replica is ready.
enum class FirstReplicas : std::uint8_t {
  kForWaiting,  ///< enough for all of them
  kOne,         ///< one; the average decides later (Knative, seed)
};
/// The start of scale-to-zero-grace-period.
enum class GraceFrom : std::uint8_t {
  kIdle,       ///< the decision for zero
  kActivator,  ///< when the activator entered the path, possibly long before (Knative)
};
/// The decision while the load is unknown.
enum class NoData : std::uint8_t {
  kHold,        ///< replicas whose load is unknown stay, at most for unknown-load-hold
  kNoDecision,  ///< none (Knative, seed)
};
/// The rules for a load that is small or arrives in bursts.
enum class SmallLoadRules : std::uint8_t {
  kKnative,  ///< Knative's, but for keep-alive
  kSame,     ///< as for any other load
};
/// Whether max-scale-down-rate applies after scale-down-delay, or before it, where each of its
/// steps is delayed in turn (Knative).
enum class DownRateOrder : std::uint8_t { kAfterDelay, kBeforeDelay };
/// How a decider starts while replicas run.
enum class AfterRestart : std::uint8_t {
  kHold,     ///< in panic mode at their number, without scale-down until enough is known
  kPanic,    ///< in panic mode at their number (Knative)
  kNothing,  ///< as if it had started them itself (seed)
};

/// Declared field by field, with bounds and help, in scaling_rules.cpp. Defaults: profile bellows.
struct ScalingRules {
  PanicRatio panic_ratio = PanicRatio::kRounded;
  PanicExtends panic_extends = PanicExtends::kWhileOver;
  PanicDecides panic_decides = PanicDecides::kLargerWindow;
  ObservedLoad observed_load = ObservedLoad::kTotal;
  Backlog backlog = Backlog::kDrains;
  CountedPods pod_count = CountedPods::kObserved;
  MissingSeconds missing_seconds = MissingSeconds::kUnknown;
  WeightedMean weighted_mean = WeightedMean::kNormalized;
  AverageRounding average_rounding = AverageRounding::kNone;
  KeepAlive keep_alive = KeepAlive::kLearned;
  FirstReplicas first_replicas = FirstReplicas::kForWaiting;
  GraceFrom grace_from = GraceFrom::kIdle;
  NoData no_data = NoData::kHold;
  DownRateOrder down_rate_order = DownRateOrder::kAfterDelay;
  AfterRestart after_restart = AfterRestart::kHold;
  bool count_starting = true;  ///< starting replicas count for max-scale-up-rate
  SmallLoadRules small_load_rules = SmallLoadRules::kKnative;
  Headroom headroom = Headroom::kSquareRoot;
  double headroom_factor = 2.8;  ///< standard deviations of the load
  bool learn_burstiness = true;  ///< the variance of arrivals is estimated
  EarlyScaleUp early_scale_up = EarlyScaleUp::kEvidence;
  double early_scale_up_z_score = 2.2;  ///< standard deviations of a significant rise
  bool look_ahead = true;               ///< plan for the load when a replica has started
  Smoothing scale_down_smoothing = Smoothing::kExponential;
  Duration scale_down_smoothing_time = std::chrono::seconds(2);
  Duration cold_start_worth = std::chrono::seconds(60);  ///< idle time worth one cold start
  PodCount buffer = 0;                                   ///< spare replicas
  double panic_exit_percentage = 75;                     ///< of the threshold, in panic mode
  double rounding_tolerance = 1e-6;                      ///< fraction of a replica that is ignored
  Duration idle_clock = std::chrono::minutes(5);
  Duration unknown_load_hold = std::chrono::minutes(10);

  bool operator==(const ScalingRules&) const = default;
};

const Schema<ScalingRules>& scaling_rules_schema();

}  // namespace bellows::config
