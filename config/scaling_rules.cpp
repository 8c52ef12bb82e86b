#include "config/scaling_rules.hpp"

#include "config/schema.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Rules = ScalingRules;
using Switches = Schema<ScalingRules>;

void declare_panic(Switches& schema) {
  schema.group("Rules: panic");
  schema.add_choice(
      &Rules::panic_ratio,
      {{"exact", PanicRatio::kExact},
       {"rounded", PanicRatio::kRounded},
       {"per-pod", PanicRatio::kPerPod}},
      {.name = "panic-ratio",
       .help =
           "The value compared with panic-threshold-percentage. exact: load of the panic window "
           "divided by the target load of the replicas; rounded: the same with the load rounded up "
           "to whole replicas; per-pod: mean load of one replica divided by the target."});
  schema.add(&Rules::panic_exit_percentage,
             {.name = "panic-exit-percentage",
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "In panic mode the load counts as over the threshold until it falls below "
                      "this percentage of panic-threshold-percentage."});
  schema.add_choice(
      &Rules::panic_extends,
      {{"while-over", PanicExtends::kWhileOver}, {"on-increase", PanicExtends::kOnIncrease}},
      {.name = "panic-extends",
       .help = "Panic mode ends one stable window after the load was last over the threshold "
               "(while-over), or after panic mode last scaled up (on-increase)."});
  schema.add_choice(&Rules::panic_decides,
                    {{"larger-window", PanicDecides::kLargerWindow},
                     {"panic-window", PanicDecides::kPanicWindow}},
                    {.name = "panic-decides",
                     .help = "Which window decides in panic mode: the one with the higher demand, "
                             "or the panic window alone."});
  schema.add(
      &Rules::count_starting,
      {.name = "count-starting",
       .help = "Count starting replicas too when max-scale-up-rate limits the growth, so that "
               "slow starts do not delay the next order."});
}

void declare_load(Switches& schema) {
  schema.group("Rules: load and replicas");
  schema.add_choice(
      &Rules::observed_load,
      {{"total", ObservedLoad::kTotal}, {"mean-per-pod", ObservedLoad::kMeanPerPod}},
      {.name = "observed-load",
       .help = "The load of a window. total: the sum over all replicas; mean-per-pod: the mean of "
               "all reports of all replicas, times the number of replicas."});
  schema.add_choice(
      &Rules::backlog, {{"drains", Backlog::kDrains}, {"load", Backlog::kLoad}},
      {.name = "backlog",
       .help = "What requests that wait in activators count for. drains: a slot serves several of "
               "them if requests are brief, so each takes a part of one; load: a slot each."});
  schema.add_choice(
      &Rules::pod_count,
      {{"ready", CountedPods::kReady},
       {"observed", CountedPods::kObserved},
       {"window", CountedPods::kWindow}},
      {.name = "pod-count",
       .help = "The replicas that rates and ratios refer to. ready: ready in the cluster; "
               "observed: those that report; window: those that reported within the window."});
  schema.add_choice(
      &Rules::down_rate_order,
      {{"after-delay", DownRateOrder::kAfterDelay}, {"before-delay", DownRateOrder::kBeforeDelay}},
      {.name = "down-rate-order",
       .help = "Apply max-scale-down-rate after scale-down-delay, or before it, where each of its "
               "steps is delayed in turn."});
  schema.add(&Rules::buffer,
             {.name = "buffer",
              .bounds = at_least(0),
              .help = "Spare replicas added to the demand while there is any load."});
  schema.add(&Rules::rounding_tolerance,
             {.name = "rounding-tolerance",
              .bounds = between(0, 0.1),
              .help = "Ignore an excess below this fraction of a replica, so that measurement "
                      "error does not add one."});
}

void declare_headroom(Switches& schema) {
  schema.group("Rules: headroom");
  schema.add_choice(
      &Rules::small_load_rules,
      {{"knative", SmallLoadRules::kKnative}, {"same", SmallLoadRules::kSame}},
      {.name = "small-load-rules",
       .help =
           "With metric concurrency: how a load is decided that is typically below 10 requests "
           "in flight, or arrives in bursts. knative: as Knative does, but for keep-alive: "
           "fixed utilization, the two windows alone, one first replica. same: by the rules for "
           "any load; that needs fewer replicas, and callers wait more often."});
  schema.add_choice(
      &Rules::headroom,
      {{"square-root", Headroom::kSquareRoot}, {"utilization", Headroom::kUtilization}},
      {.name = "headroom",
       .help = "Capacity planned beyond the load. square-root: headroom-factor times the standard "
               "deviation of the load, and at least what the load grows while a replica starts, if "
               "that takes long; but never more than target-utilization-percentage leaves. "
               "utilization: always what target-utilization-percentage leaves. If the service sets "
               "target-utilization-percentage, and with metric rps, utilization is used."});
  schema.add(
      &Rules::headroom_factor,
      {.name = "headroom-factor",
       .bounds = between(0, 20),
       .help = "With headroom square-root: the headroom in standard deviations of the requests in "
               "flight. Raise it if requests are queued too often at a steady load."});
  schema.add(&Rules::learn_burstiness,
             {.name = "learn-burstiness",
              .help = "Estimate how bursty arrivals are, and scale the standard deviation of "
                      "headroom accordingly."});
}

void declare_scaling_speed(Switches& schema) {
  schema.add_choice(
      &Rules::early_scale_up,
      {{"evidence", EarlyScaleUp::kEvidence}, {"window", EarlyScaleUp::kWindow}},
      {.name = "early-scale-up",
       .deprecated = {"rise"},
       .help =
           "Outside panic mode: evidence also scales up on a statistically significant rise in "
           "the panic window or the newest second, and for requests that outlast a start; window "
           "uses the stable window only."});
  schema.add(
      &Rules::early_scale_up_z_score,
      {.name = "early-scale-up-z-score",
       .deprecated = {"rise-evidence"},
       .bounds = between(0, 20),
       .help = "With early-scale-up evidence: the number of standard deviations above which a rise "
               "is significant. Lower it to scale up earlier, raise it to ignore more noise."});
  schema.add(&Rules::look_ahead,
             {.name = "look-ahead",
              .help = "Plan a growing load as it will be when a replica started now is ready."});
  schema.add_choice(
      &Rules::scale_down_smoothing,
      {{"exponential", Smoothing::kExponential}, {"none", Smoothing::kNone}},
      {.name = "scale-down-smoothing",
       .deprecated = {"fall"},
       .deprecated_values = {{"glide", "exponential"}, {"at-once", "none"}},
       .help =
           "exponential: scale down gradually, also after panic mode; none: scale down at once."});
  schema.add(&Rules::scale_down_smoothing_time,
             {.name = "scale-down-smoothing-time",
              .deprecated = {"glide-time"},
              .bounds = between(100ms, 1h),
              .help = "With scale-down-smoothing exponential: the time in which the excess shrinks "
                      "to 37 %."});
}

void declare_averages(Switches& schema) {
  schema.group("Rules: averages");
  schema.add_choice(&Rules::missing_seconds,
                    {{"unknown", MissingSeconds::kUnknown}, {"zero", MissingSeconds::kZero}},
                    {.name = "missing-seconds",
                     .help = "How a second without any report counts within a window."});
  schema.add_choice(&Rules::weighted_mean,
                    {{"normalized", WeightedMean::kNormalized}, {"raw", WeightedMean::kRaw}},
                    {.name = "weighted-mean",
                     .help = "Whether the weights of weighted-exponential are normalized to a sum "
                             "of one. Raw weights underestimate the load while a window fills."});
  schema.add_choice(
      &Rules::average_rounding,
      {{"none", AverageRounding::kNone}, {"six-decimals", AverageRounding::kSixDecimals}},
      {.name = "average-rounding", .help = "How linear averages are rounded."});
  schema.add_choice(&Rules::no_data,
                    {{"hold", NoData::kHold}, {"no-decision", NoData::kNoDecision}},
                    {.name = "no-data",
                     .help = "While the load is unknown: keep the replicas whose load is unknown "
                             "for at most unknown-load-hold, or make no decision."});
  schema.add(
      &Rules::unknown_load_hold,
      {.name = "unknown-load-hold",
       .bounds = between(0s, 24h),
       .help = "How long replicas without reports are kept; after that they count as idle."});
}

void declare_ends(Switches& schema) {
  schema.group("Rules: first and last replica");
  schema.add_choice(
      &Rules::first_replicas,
      {{"for-waiting", FirstReplicas::kForWaiting}, {"one", FirstReplicas::kOne}},
      {.name = "first-replicas",
       .help = "Replicas for requests that are queued while no replica is ready: enough for all of "
               "them at once, or one, and the average decides later."});
  schema.add_choice(
      &Rules::keep_alive,
      {{"learned", KeepAlive::kLearned},
       {"window", KeepAlive::kWindow},
       {"constant", KeepAlive::kConstant}},
      {.name = "keep-alive",
       .deprecated_values = {{"idle-clock", "constant"}},
       .help = "When the last replica ends. learned: after a window without requests; if requests "
               "come in a rhythm, at once, and it is started again before the next one is due. "
               "window: when the window holds no load and the grace period is over. constant: "
               "after idle-clock without requests; bellows simulate --suggest finds the best."});
  schema.add(&Rules::cold_start_worth, {.name = "cold-start-worth",
                                        .bounds = between(0s, 24h),
                                        .help = "With keep-alive learned: how long an idle replica "
                                                "may be kept to save one request a cold start."});
  schema.add(
      &Rules::idle_clock,
      {.name = "idle-clock",
       .bounds = between(1s, 24h),
       .help =
           "With keep-alive constant: time without requests after which the last replica ends."});
  schema.add_choice(&Rules::grace_from,
                    {{"idle", GraceFrom::kIdle}, {"activator", GraceFrom::kActivator}},
                    {.name = "grace-from",
                     .help = "Whether scale-to-zero-grace-period starts at the decision for zero, "
                             "or when the activator entered the path."});
  schema.add_choice(
      &Rules::after_restart,
      {{"hold", AfterRestart::kHold},
       {"panic", AfterRestart::kPanic},
       {"nothing", AfterRestart::kNothing}},
      {.name = "after-restart",
       .help =
           "How an autoscaler starts while replicas run. hold: in panic mode, without scale-down "
           "until enough is known; panic: in panic mode; nothing: as for a new revision."});
}

}  // namespace

const Schema<ScalingRules>& scaling_rules_schema() {
  static const Switches schema = [] {
    Switches declared;
    declare_load(declared);
    declare_headroom(declared);
    declare_scaling_speed(declared);
    declare_panic(declared);
    declare_averages(declared);
    declare_ends(declared);
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
