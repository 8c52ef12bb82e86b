// The switches of the decision's rules. A profile (config/profiles.hpp) is a set of values for
// them; each is a setting of its own, so that one of them can be changed under any profile.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"
#include "config/load_measure.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// What is held against panic-threshold-percentage.
enum class PanicRatio : std::uint8_t {
  kExact,    ///< load of the panic window / (replicas * target)
  kRounded,  ///< the same with load / target rounded up to whole replicas first (Knative)
  kPerPod,   ///< mean load of one replica / target (seed)
};
/// When the end of panic is put off.
enum class PanicExtends : std::uint8_t {
  kWhileOver,   ///< at every decision that finds the load over the threshold
  kOnIncrease,  ///< only when panic asks for more replicas than so far (seed)
};
/// Which window decides in panic.
enum class PanicDecides : std::uint8_t {
  kLargerWindow,  ///< the one that asks for more
  kPanicWindow,   ///< the panic window alone (seed)
};
/// Which load of a window is divided by the target.
enum class ObservedLoad : std::uint8_t {
  kTotal,       ///< of the whole revision
  kMeanPerPod,  ///< the mean of all reports of all replicas, times the replicas (seed)
};
/// Which replicas rates and ratios are counted with.
enum class CountedPods : std::uint8_t {
  kReady,     ///< those the cluster calls ready (Knative)
  kObserved,  ///< those that report
  kWindow,    ///< those that reported within the stable window (seed)
};
enum class MissingSeconds : std::uint8_t { kUnknown, kZero };
/// The room that is planned beyond the load.
enum class Headroom : std::uint8_t {
  kSquareRoot,  ///< headroom-factor times the spread of the load, at most what utilisation asks for
  kUtilization,  ///< the same part of any load (Knative, seed)
};
/// What raises the answer outside panic.
enum class Rise : std::uint8_t {
  kEvidence,  ///< a shorter window too, by as much as chance cannot explain
  kWindow,    ///< the stable window alone (Knative, seed)
};
/// How the answer falls.
enum class Fall : std::uint8_t {
  kGlide,   ///< towards what the load asks for, within a few times glide-time
  kAtOnce,  ///< down to it (Knative, seed)
};
/// How long the last replica stays when nobody calls.
enum class KeepAlive : std::uint8_t {
  kLearned,    ///< as long as the gaps between calls seen so far make worth it, and back before a
               ///< call that is due; kWindow while too few are known
  kWindow,     ///< until the stable window holds no load and the grace time is over (Knative)
  kIdleClock,  ///< until no request was seen for idle-clock (seed)
};
/// What requests that wait for the first replica get.
enum class FirstReplicas : std::uint8_t {
  kForWaiting,  ///< enough for all of them
  kOne,         ///< one, and the average decides about the rest (Knative, seed)
};
/// From when scale-to-zero-grace-period counts.
enum class GraceFrom : std::uint8_t {
  kIdle,       ///< the decision for zero
  kActivator,  ///< since the activator is in the path, which may be long before (Knative)
};
/// What is done while nothing is known about the load.
enum class NoData : std::uint8_t {
  kHold,        ///< replicas whose load is unknown stay, for unknown-load-hold at most
  kNoDecision,  ///< nothing is decided, for as long as it lasts (Knative, seed)
};
/// Whether max-scale-down-rate comes before scale-down-delay, which then holds each of its steps
/// for the whole delay (Knative), or after it.
enum class DownRateOrder : std::uint8_t { kAfterDelay, kBeforeDelay };
/// How a decider begins beside replicas that run.
enum class AfterRestart : std::uint8_t {
  kHold,     ///< in panic at that many, and nothing goes down until enough is known
  kPanic,    ///< in panic at that many (Knative)
  kNothing,  ///< as if it had run them itself (seed)
};

/// Declared field by field, with bounds and help, in scaling_rules.cpp. Defaults: profile bellows.
struct ScalingRules {
  PanicRatio panic_ratio = PanicRatio::kExact;
  PanicExtends panic_extends = PanicExtends::kWhileOver;
  PanicDecides panic_decides = PanicDecides::kLargerWindow;
  ObservedLoad observed_load = ObservedLoad::kTotal;
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
  bool count_starting = true;  ///< starting replicas share the load that panic is judged by
  Headroom headroom = Headroom::kSquareRoot;
  double headroom_factor = 2.8;  ///< standard deviations of the load
  bool learn_burstiness = true;  ///< arrivals may spread more than chance alone makes them
  Rise rise = Rise::kEvidence;
  double rise_evidence = 2.2;  ///< standard deviations that a shorter window has to be over
  bool look_ahead = true;      ///< plan for the load at the end of a start
  Fall fall = Fall::kGlide;
  Duration glide_time = std::chrono::seconds(2);
  Duration cold_start_worth = std::chrono::seconds(60);  ///< of a replica kept for nobody
  PodCount buffer = 0;                ///< replicas on top of what the load asks for
  double panic_exit_percentage = 75;  ///< of the threshold: in panic, over down to here
  double rounding_tolerance = 1e-6;   ///< of a number of replicas, not worth one more
  Duration idle_clock = std::chrono::minutes(5);
  Duration unknown_load_hold = std::chrono::minutes(10);

  bool operator==(const ScalingRules&) const = default;
};

const Schema<ScalingRules>& scaling_rules_schema();

}  // namespace bellows::config
