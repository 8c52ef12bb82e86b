#include "config/scaling_rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "config/schema.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Rules = ScalingRules;
using Switches = Schema<ScalingRules>;

void declare_load(Switches& schema) {
  schema.group("Rules: load and replicas");
  schema.add(&Rules::rounding_tolerance,
             {.name = "rounding-tolerance",
              .bounds = between(0, 0.1),
              .help = "Ignore an excess below this fraction of a replica, so that measurement "
                      "error does not add one."});
}

void declare_headroom(Switches& schema) {
  schema.group("Rules: headroom");
  schema.add_choice(
      &Rules::headroom,
      {{"square-root", Headroom::kSquareRoot}, {"utilization", Headroom::kUtilization}},
      {.name = "headroom",
       .help = "Capacity planned beyond the load. square-root: so many standard deviations of "
               "the load that waiting-percentage of the requests find every slot taken, but never "
               "more than target-utilization-percentage leaves. "
               "utilization: always what target-utilization-percentage leaves. If the service sets "
               "target-utilization-percentage, and with metric rps, utilization is used."});
  schema.add(&Rules::waiting_percentage,
             {.name = "waiting-percentage",
              .kind = Kind::kPercent,
              .bounds = between(0.001, 50),
              .help = "With headroom square-root: percentage of the requests that may find every "
                      "slot taken while the load is steady. Lower it if too many are queued."});
}

void declare_scaling_speed(Switches& schema) {
  schema.add_choice(
      &Rules::early_scale_up,
      {{"evidence", EarlyScaleUp::kEvidence}, {"window", EarlyScaleUp::kWindow}},
      {.name = "early-scale-up",
       .help = "Outside panic mode: evidence also scales up on a statistically significant rise in "
               "the panic window or the newest second; window uses the stable window only."});
  schema.add(
      &Rules::early_scale_up_z_score,
      {.name = "early-scale-up-z-score",
       .bounds = between(0, 20),
       .help = "With early-scale-up evidence: the number of standard deviations above which a rise "
               "is significant. Lower it to scale up earlier, raise it to ignore more noise."});
}

void declare_averages(Switches& schema) {
  schema.group("Rules: averages");
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
  schema.add_choice(
      &Rules::after_restart, {{"hold", AfterRestart::kHold}, {"panic", AfterRestart::kPanic}},
      {.name = "after-restart",
       .help =
           "How an autoscaler starts while replicas run. hold: in panic mode, without scale-down "
           "until enough is known; panic: in panic mode."});
}

}  // namespace

double waiting_probability(double deviations) {
  const double b = std::max(deviations, 0.0);
  const double cumulative = 0.5 * std::erfc(-b / std::numbers::sqrt2);
  const double density = std::exp(-b * b / 2) / std::sqrt(2 * std::numbers::pi);
  if (density <= 0) return 0;
  return 1 / (1 + b * cumulative / density);
}

double deviations_for(double share) {
  double low = 0;
  double high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (waiting_probability(middle) > share ? low : high) = middle;
  }
  return high;
}

const Schema<ScalingRules>& scaling_rules_schema() {
  static const Switches schema = [] {
    Switches declared;
    declare_load(declared);
    declare_headroom(declared);
    declare_scaling_speed(declared);
    declare_averages(declared);
    declare_ends(declared);
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
