// The arithmetic of a reason where several rules set the number, one after the other, and under the
// settings of other profiles. Each rule alone, and what is next, is a row of catalogue_test.cpp.
#include "autoscaler/explain/catalogue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

using namespace autoscaler::test;

std::string reason(const ScalingSpec& spec, const Observation& seen,
                   const DeciderState& state = {}) {
  return reason_text(decide(spec, seen, state, at(0)));
}

TEST(ReasonText, ShowsTheMeanOfAReplicaWhereThatDecides) {
  // One replica was at 10 for the whole minute, another at 0 for its last six seconds: a mean of
  // 9.09 over the reports of both.
  ScalingSpec spec = spec_of("seed");
  spec.target = spec.total = 10;
  Observation seen = load(10, 5, 2);
  seen.stable.per_pod = 600.0 / 66;
  EXPECT_EQ(reason(spec, seen),
            "2 because 9.09 requests in flight per replica over 1m, 2 replicas: 18.2 / 10, rounded "
            "up: 2");
}

TEST(ReasonText, ShowsTheShortWindowWhereItDecidesAloneWithLess) {
  ScalingSpec spec = spec_of("seed");
  spec.target = spec.total = 10;
  EXPECT_EQ(
      reason(spec, load(45, 25, 1)),
      "3 because 25 requests in flight per replica over 6s, 1 replica: 25 / 10, rounded up: 3");
}

TEST(ReasonText, ShowsTheStableWindowUnderAnEarlyScaleUpInPanicToo) {
  ScalingSpec spec = spec_with_target(10);
  spec.rules.early_scale_up = config::EarlyScaleUp::kEvidence;
  Observation seen = load(21, 35, 1);
  seen.newest = 500;
  const Decision decision = decide(spec, seen, {}, at(0));
  EXPECT_EQ(to_string(decision.rule), "up-rate");
  EXPECT_EQ(decision.mode, Mode::kPanic);
  EXPECT_EQ(reason_text(decision),
            "10 because 21 requests in flight over 1m: 21 / 10, rounded up: 3; 500 in the newest "
            "second are more than chance: 46; limited to 10 by max-scale-up-rate 10 with 1 replica "
            "ready");
}

TEST(ReasonText, ShowsTheDispersionThatMadeTheHeadroomMore) {
  ScalingSpec spec = spec_with_target(7);
  spec.total = 10;
  spec.free_deviations = 2;
  spec.rules.headroom = config::Headroom::kSquareRoot;
  DeciderState state = active_since(at(-100));
  EXPECT_EQ(reason(spec, load(400, 400, 44), state),
            "44 because 400 requests in flight over 1m + 40 headroom: 440 / 10 = 44");
  state.spread = {.squares = 4 * 400, .loads = 400};
  EXPECT_EQ(
      reason(spec, load(400, 400, 44), state),
      "48 because 400 requests in flight over 1m + 80 headroom (dispersion 4): 480 / 10 = 48");
  // Of so small a load 30 % is kept free in any case.
  EXPECT_EQ(reason(spec, load(7, 7, 1), state),
            "1 because 7 requests in flight over 1m + 3 headroom: 10 / 10 = 1");
}

TEST(ReasonText, LeavesOutRoundingThatDidNothing) {
  EXPECT_EQ(reason(spec_with_target(10), load(50, 50, 5)),
            "5 because 50 requests in flight over 1m: 50 / 10 = 5");
}

TEST(ReasonText, ShowsWhatPanicKeptBeforeMaxScaleTookItAway) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale = 6;
  EXPECT_EQ(reason(spec, load(30, 10, 6), panicking_since(at(-5), 8)),
            "6 because 30 requests in flight over 1m: 30 / 10 = 3; kept at 8 by panic mode; "
            "limited to 6 by max-scale");
}

TEST(ReasonText, ShowsWhichRuleKeptWhatMaxScaleTookAway) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale = 6;
  spec.scale_down_delay = seconds(300);
  DeciderState state = panicking_since(at(-5), 8);
  state.delay.record(at(-60), 24, spec.scale_down_delay);
  EXPECT_EQ(reason(spec, load(30, 10, 6), state),
            "6 because 30 requests in flight over 1m: 30 / 10 = 3; kept at 24 by scale-down-delay "
            "5m; limited to 6 by max-scale");
}

TEST(ReasonText, ShowsTheUpRateBelowWhatAnotherRuleRaised) {
  ScalingSpec spec = spec_with_target(10);
  const Observation seen = load(1000, 10, 2);
  const std::string held =
      "1000 requests in flight over 1m: 1000 / 10 = 100; limited to 20 by max-scale-up-rate 10 "
      "with 2 replicas ready; ";
  EXPECT_EQ(reason(spec, seen, panicking_since(at(-5), 50)),
            "50 because " + held + "kept at 50 by panic mode");
  spec.min_scale = 30;
  EXPECT_EQ(reason(spec, seen), "30 because " + held + "raised to 30 by min-scale");
  spec.min_scale = 0;
  spec.activation_scale = 40;
  EXPECT_EQ(reason(spec, seen), "40 because " + held + "raised to 40 by activation-scale");
}

TEST(ReasonText, LeavesOutWhatHeldTheNumberBelowMinScale) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale_down_rate = 2;
  spec.min_scale = 2;
  EXPECT_EQ(reason(spec, load(0, 0, 2)),
            "2 because 0 requests in flight over 1m: 0 / 10 = 0; raised to 2 by min-scale");
}

TEST(ReasonText, ShowsWhichReplicasTheUpRateCounted) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale_up_rate = 2;
  Observation seen = load(1000, 900, 3);
  seen.starting = 3;
  EXPECT_EQ(reason(spec, seen),
            "6 because 1000 requests in flight over 1m: 1000 / 10 = 100; limited to 6 by "
            "max-scale-up-rate 2 with 3 replicas ready");
  spec = spec_of("seed");
  spec.target = spec.total = 10;
  spec.max_scale_up_rate = 2;
  seen = load(1000, 900, 5);
  EXPECT_EQ(reason(spec, seen),
            "10 because 180 requests in flight per replica over 6s, 5 replicas: 900 / 10 = 90; "
            "limited to 10 by max-scale-up-rate 2 with 5 replicas seen within 1m");
  seen.in_window = 0;
  EXPECT_EQ(reason(spec, seen),
            "2 because 180 requests in flight per replica over 6s, 1 replica: 180 / 10 = 18; "
            "limited to 2 by max-scale-up-rate 2 with none seen within 1m, which counts as one");
}

TEST(ReasonText, ShowsWaitingRequestsNextToOneThatServes) {
  Observation seen = load(0, 0, 1);
  seen.waiting = 3;
  EXPECT_EQ(reason(spec_with_target(10), seen),
            "1 because 3 requests waiting, 1 replica serving: one stays for them");
  seen.ready = seen.not_reporting = 2;
  seen.observed = 0;
  ScalingSpec spec = spec_with_target(1);
  EXPECT_EQ(reason(spec, seen),
            "3 because 3 requests waiting, no ready replica reports: 3 / 1 = 3");
}

TEST(ReasonText, ShowsWhichBoundHoldsWhileNothingIsKnown) {
  ScalingSpec spec = spec_with_target(10);
  spec.min_scale = 2;
  spec.max_scale = 5;
  Observation seen;
  seen.problem = Problem::kNoMetrics;
  EXPECT_EQ(reason(spec, seen),
            "2 because the load could not be measured; raised to 2 by min-scale");
  DeciderState state;
  state.replicas = 12;
  EXPECT_EQ(reason(spec, seen, state),
            "5 because the load could not be measured; kept at 12; limited to 5 by max-scale");
}

TEST(ReasonText, ShowsScaleToZero) {
  EXPECT_EQ(reason(spec_with_target(10), load(0, 0, 1), active_since(at(-59))),
            "1 because no request for 59.0s, the last replica is kept a while longer");
  ScalingSpec kept = spec_with_target(10);
  kept.rules.keep_alive = config::KeepAlive::kLearned;
  kept.min_scale = 1;
  EXPECT_EQ(reason(kept, load(0, 0, 1), active_since(at(-59))),
            "1 because no request for 59.0s, but min-scale is 1");
  kept.min_scale_from = config::MinScaleFrom::kDeploy;
  EXPECT_EQ(
      reason(kept, load(0, 0, 1), active_since(at(-59))),
      "1 because no request for 59.0s, but it is kept by a deploy, which keeps what it started "
      "for one window");
  Observation called = load(0, 0, 1);
  called.newest = 0.5;
  kept.min_scale = 0;
  EXPECT_EQ(reason(kept, called, active_since(at(-59))),
            "1 because a request came just now, the last replica is kept a while longer");
  Observation unknown = load(0, 0, 1);
  unknown.stable.covered_seconds = 12;
  EXPECT_EQ(reason(spec_with_target(10), unknown),
            "1 because only 12s of the last 1m are known: held");
  DeciderState idle = inactive_since(at(-12));
  idle.last_load = at(-72);
  EXPECT_EQ(
      reason(spec_with_target(10), load(0, 0, 1), idle),
      "1 because no request for 1m12s, the last replica stays for scale-to-zero-grace-period 30s");
  idle = inactive_since(at(-30));
  idle.last_load = at(-90);
  EXPECT_EQ(reason(spec_with_target(10), load(0, 0, 1), idle),
            "0 because no request for 1m30s, scale-to-zero-grace-period included");
  EXPECT_EQ(reason(spec_with_target(10), {}), "0 because no requests");
}

TEST(ReasonText, ShowsWhatEndedTheStayOfTheLastReplica) {
  // Learned from gaps: no grace time.
  DeciderState idle = active_since(at(-90));
  const std::vector<IdleTimes::Known> known = {{300, 300}, {300, 300}, {301, 301}};
  idle.idle_times.restore(known, at(-90));
  EXPECT_EQ(
      reason(spec_of("bellows"), load(0, 0, 1), idle),
      "0 because no request for 1m30s, a request soon is not likely enough to keep a replica");
  // The first replica never became ready, progress-deadline and half a minute are over.
  Observation stuck = load(0, 0, 0);
  stuck.starting = stuck.requested = 1;
  DeciderState activating = active_since(at(-91));
  activating.activity.state = Serving::kActivating;
  ScalingSpec spec = spec_of("knative");
  spec.progress_deadline = seconds(60);
  EXPECT_EQ(reason(spec, stuck, activating),
            "0 because no request for 1m31s, the first replica was not ready within "
            "progress-deadline 1m plus 30s");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
