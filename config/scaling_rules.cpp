#include "config/scaling_rules.hpp"

#include "config/schema.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Rules = ScalingRules;
using Switches = Schema<ScalingRules>;

void declare_panic(Switches& schema) {
  schema.group("Rules: panic");
  schema.add_choice(&Rules::panic_ratio,
                    {{"exact", PanicRatio::kExact},
                     {"rounded", PanicRatio::kRounded},
                     {"per-pod", PanicRatio::kPerPod}},
                    {.name = "panic-ratio",
                     .help = "What is held against panic-threshold-percentage: the load of the "
                             "panic window in targets per replica, the same rounded up to whole "
                             "replicas first, or the mean load of one replica in targets."});
  schema.add(&Rules::panic_exit_percentage,
             {.name = "panic-exit-percentage",
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "Of panic-threshold-percentage: in panic mode the load counts as over the "
                      "threshold down to here."});
  schema.add_choice(
      &Rules::panic_extends,
      {{"while-over", PanicExtends::kWhileOver}, {"on-increase", PanicExtends::kOnIncrease}},
      {.name = "panic-extends",
       .help = "Panic mode ends a window after the load was last over the threshold, or after "
               "panic last asked for more replicas."});
  schema.add_choice(&Rules::panic_decides,
                    {{"larger-window", PanicDecides::kLargerWindow},
                     {"panic-window", PanicDecides::kPanicWindow}},
                    {.name = "panic-decides",
                     .help = "Which window decides in panic mode: the one that asks for more, or "
                             "the panic window alone."});
  schema.add(&Rules::count_starting,
             {.name = "count-starting",
              .help = "Whether replicas that still start share the load that panic mode is judged "
                      "by, so that nothing is ordered twice."});
}

void declare_load(Switches& schema) {
  schema.group("Rules: load and replicas");
  schema.add_choice(
      &Rules::observed_load,
      {{"total", ObservedLoad::kTotal}, {"mean-per-pod", ObservedLoad::kMeanPerPod}},
      {.name = "observed-load",
       .help = "Load of the whole revision, or the mean of all reports of all replicas times the "
               "replicas."});
  schema.add_choice(&Rules::pod_count,
                    {{"ready", CountedPods::kReady},
                     {"observed", CountedPods::kObserved},
                     {"window", CountedPods::kWindow}},
                    {.name = "pod-count",
                     .help = "The replicas that rates and ratios count with: those the cluster "
                             "calls ready, those that report, or those that reported within the "
                             "window."});
  schema.add_choice(
      &Rules::down_rate_order,
      {{"after-delay", DownRateOrder::kAfterDelay}, {"before-delay", DownRateOrder::kBeforeDelay}},
      {.name = "down-rate-order",
       .help = "Whether max-scale-down-rate is applied after scale-down-delay or "
               "before it, where each of its steps is held for the whole delay."});
  schema.add(&Rules::buffer, {.name = "buffer",
                              .bounds = at_least(0),
                              .help = "Spare replicas on top of what the load asks for, while "
                                      "there is any load."});
  schema.add(&Rules::rounding_tolerance,
             {.name = "rounding-tolerance",
              .bounds = between(0, 0.1),
              .help = "Part of a number of replicas by which the load may be over it without "
                      "another replica: what measuring is off by buys none."});
}

void declare_headroom(Switches& schema) {
  schema.group("Rules: headroom");
  schema.add_choice(
      &Rules::headroom,
      {{"square-root", Headroom::kSquareRoot}, {"utilization", Headroom::kUtilization}},
      {.name = "headroom",
       .help =
           "Room beyond the load: headroom-factor times its spread, which grows with the square "
           "root of the load and is never more than target-utilization-percentage leaves; or "
           "always what that leaves. Where target-utilization-percentage is set for the "
           "service, and for requests a second, it is utilization."});
  schema.add(&Rules::headroom_factor,
             {.name = "headroom-factor",
              .bounds = between(0, 20),
              .help = "For headroom square-root: standard deviations of the requests in flight."});
  schema.add(&Rules::learn_burstiness,
             {.name = "learn-burstiness",
              .help = "Whether callers who come in bursts widen the spread that headroom and rise "
                      "reckon with."});
  schema.add_choice(&Rules::rise, {{"evidence", Rise::kEvidence}, {"window", Rise::kWindow}},
                    {.name = "rise",
                     .help = "What raises the answer outside panic mode: also the panic window and "
                             "the newest second, by as much as chance cannot explain, or only the "
                             "window."});
  schema.add(&Rules::rise_evidence,
             {.name = "rise-evidence",
              .bounds = between(0, 20),
              .help = "For rise evidence: standard deviations that are put down to chance."});
  schema.add(&Rules::look_ahead,
             {.name = "look-ahead",
              .help = "Whether a load that has been growing is planned for as it will be when a "
                      "replica ordered now is ready."});
  schema.add_choice(&Rules::fall, {{"glide", Fall::kGlide}, {"at-once", Fall::kAtOnce}},
                    {.name = "fall",
                     .help = "How fewer replicas are asked for: little by little, also after panic "
                             "mode, or at once."});
  schema.add(
      &Rules::glide_time,
      {.name = "glide-time",
       .bounds = between(100ms, 1h),
       .help = "For fall glide: the time in which the surplus shrinks to 37 %; longer for few "
               "replicas, up to thirty times for two."});
}

void declare_averages(Switches& schema) {
  schema.group("Rules: averages");
  schema.add_choice(
      &Rules::missing_seconds,
      {{"unknown", MissingSeconds::kUnknown}, {"zero", MissingSeconds::kZero}},
      {.name = "missing-seconds", .help = "What a second without any report is within a window."});
  schema.add_choice(
      &Rules::weighted_mean,
      {{"normalized", WeightedMean::kNormalized}, {"raw", WeightedMean::kRaw}},
      {.name = "weighted-mean",
       .help = "Whether the weights of weighted-exponential are made to sum up to one. Raw ones "
               "tell too little while a window fills."});
  schema.add_choice(
      &Rules::average_rounding,
      {{"none", AverageRounding::kNone}, {"six-decimals", AverageRounding::kSixDecimals}},
      {.name = "average-rounding", .help = "How linear averages are rounded."});
  schema.add_choice(&Rules::no_data,
                    {{"hold", NoData::kHold}, {"no-decision", NoData::kNoDecision}},
                    {.name = "no-data",
                     .help = "While nothing is known about the load: keep the replicas whose load "
                             "is unknown for at most unknown-load-hold, or decide nothing."});
  schema.add(&Rules::unknown_load_hold,
             {.name = "unknown-load-hold",
              .bounds = between(0s, 24h),
              .help = "How long replicas that report nothing are kept; then they count as idle."});
}

void declare_ends(Switches& schema) {
  schema.group("Rules: first and last replica");
  schema.add_choice(
      &Rules::first_replicas,
      {{"for-waiting", FirstReplicas::kForWaiting}, {"one", FirstReplicas::kOne}},
      {.name = "first-replicas",
       .help =
           "Requests that wait while nobody serves get enough replicas for all of them at once, "
           "or one, and the average decides about the rest."});
  schema.add_choice(
      &Rules::keep_alive,
      {{"learned", KeepAlive::kLearned},
       {"window", KeepAlive::kWindow},
       {"idle-clock", KeepAlive::kIdleClock}},
      {.name = "keep-alive",
       .help = "The last replica goes once the gaps between calls say that keeping it is not worth "
               "it, and comes back before a call that is due; or once the window holds no load and "
               "the grace time is over; or once no request was seen for idle-clock."});
  schema.add(
      &Rules::cold_start_worth,
      {.name = "cold-start-worth",
       .bounds = between(0s, 24h),
       .help = "For keep-alive learned: how long a replica may be kept for nobody to spare one "
               "caller a cold start."});
  schema.add(&Rules::idle_clock, {.name = "idle-clock",
                                  .bounds = between(1s, 24h),
                                  .help = "For keep-alive idle-clock: how long without requests."});
  schema.add_choice(&Rules::grace_from,
                    {{"idle", GraceFrom::kIdle}, {"activator", GraceFrom::kActivator}},
                    {.name = "grace-from",
                     .help = "Whether scale-to-zero-grace-period counts from the decision for "
                             "zero, or since the activator is in the path."});
  schema.add_choice(&Rules::after_restart,
                    {{"hold", AfterRestart::kHold},
                     {"panic", AfterRestart::kPanic},
                     {"nothing", AfterRestart::kNothing}},
                    {.name = "after-restart",
                     .help = "How a new autoscaler begins beside running replicas: in panic mode "
                             "and going down only once enough is known, in panic mode, or as if "
                             "nothing had happened."});
}

}  // namespace

const Schema<ScalingRules>& scaling_rules_schema() {
  static const Switches schema = [] {
    Switches declared;
    declare_load(declared);
    declare_headroom(declared);
    declare_panic(declared);
    declare_averages(declared);
    declare_ends(declared);
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
