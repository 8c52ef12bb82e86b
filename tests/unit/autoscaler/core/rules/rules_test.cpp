// The rules of profile bellows that Knative does not have, and those that differ, one by one.
#include <gtest/gtest.h>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

TEST(Usage, ThatAsksForMoreThanTheRequestsDecides) {
  ScalingSpec spec = spec_with_target(10);
  spec.cpu_target = 0.5;
  spec.memory_target = 0.8;
  Observation seen = load(20, 20, 4);
  seen.cpu = 0.75;
  seen.memory = 0.4;
  const Decision decision = decide(spec, seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 6);  // 4 * 0.75 / 0.5
  EXPECT_EQ(decision.rule, Rule::kUsage);
  EXPECT_EQ(explain::reason_text(decision),
            "6 because 75 % of the CPU request used, target 50 %: 6");
  seen.memory = 1.6;
  EXPECT_EQ(decide(spec, seen, {}, at(0)).replicas, 8);  // 4 * 1.6 / 0.8
  EXPECT_EQ(decide(spec, seen, {}, at(0)).rule, Rule::kUsage);
}

TEST(Usage, ThatIsNotMeasuredOrHasNoTargetHasNoEffect) {
  ScalingSpec spec = spec_with_target(10);
  Observation seen = load(20, 20, 4);
  seen.cpu = 9;
  EXPECT_EQ(decide(spec, seen, {}, at(0)).replicas, 2);
  spec.cpu_target = 0.5;
  seen.cpu.reset();
  EXPECT_EQ(decide(spec, seen, {}, at(0)).replicas, 2);
}

TEST(DownRate, IsCountedByThoseThatAreReady) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale_down_rate = 2;
  const Decision decision = decide(spec, load(10, 10, 9), {}, at(0));
  EXPECT_EQ(decision.replicas, 4);
  EXPECT_EQ(explain::reason_text(decision),
            "4 because 10 requests in flight over 1m: 10 / 10 = 1; limited to 4 by "
            "max-scale-down-rate 2");
}

TEST(DownRate, DoesNotHoldWhatIsNotReached) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale_down_rate = 2;
  Observation seen = load(10, 10, 9);
  seen.is_reachable = false;
  EXPECT_EQ(decide(spec, seen, {}, at(0)).replicas, 1);
}

TEST(Delay, ShowsHowLongALowerNumberMustLast) {
  ScalingSpec spec = spec_with_target(10);
  spec.scale_down_delay = seconds(60);
  Story story;
  story.decide(spec, load(80, 80, 8), at(0));
  const Decision decision = story.decide(spec, load(20, 20, 8), at(30));
  EXPECT_EQ(
      explain::reason_text(decision),
      "8 because 20 requests in flight over 1m: 20 / 10 = 2; kept at 8 by scale-down-delay 1m");
  EXPECT_EQ(decision.undelayed, 2);
  EXPECT_EQ(story.decide(spec, load(20, 20, 8), at(60)).replicas, 2);
}

TEST(Delay, HoldsTheStepsOfTheDownRate) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale_down_rate = 2;
  spec.scale_down_delay = seconds(60);
  Story story;
  story.decide(spec, load(80, 80, 8), at(0));
  story.decide(spec, load(10, 10, 8), at(2));
  EXPECT_EQ(story.decide(spec, load(10, 10, 8), at(60)).replicas, 4);
  EXPECT_EQ(story.decide(spec, load(10, 10, 4), at(62)).replicas, 4);
}

TEST(Delay, FollowsAChangeWhileItRuns) {
  ScalingSpec spec = spec_with_target(10);
  spec.scale_down_delay = seconds(600);
  Story story;
  story.decide(spec, load(80, 80, 8), at(0));
  EXPECT_EQ(story.decide(spec, load(20, 20, 8), at(30)).replicas, 8);
  spec.scale_down_delay = seconds(10);
  EXPECT_EQ(story.decide(spec, load(20, 20, 8), at(32)).replicas, 2);
  spec.scale_down_delay = Duration::zero();
  EXPECT_EQ(story.decide(spec, load(10, 10, 8), at(34)).replicas, 1);
}

TEST(PanicRatio, OfKnativeRoundsAndThatOfTheSeedIsPerPod) {
  ScalingSpec spec = spec_with_target(10);
  Observation seen = load(11, 11, 1);
  EXPECT_DOUBLE_EQ(decide(spec, seen, {}, at(0)).panic_ratio, 2);
  spec.is_seed = true;
  seen.panic.per_pod = 5;
  EXPECT_DOUBLE_EQ(decide(spec, seen, {}, at(0)).panic_ratio, 0.5);
}

TEST(ReplicasThatDoNotReport, AreKeptBesideWhatTheOthersNeed) {
  Observation seen = load(10, 10, 2);  // two report ten requests
  seen.ready = seen.requested = 8;
  seen.not_reporting = 6;
  const Decision decision = decide(spec_with_target(10), seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 7);
  EXPECT_EQ(decision.rule, Rule::kNoData);
  EXPECT_EQ(explain::reason_text(decision),
            "7 because 6 replicas of 8 ready ones did not report, so their load is unknown: held");
}

TEST(ReplicasThatDoNotReport, CountAsIdleInTheEnd) {
  Observation seen = load(10, 10, 2);
  seen.ready = seen.requested = 8;
  seen.not_reporting = 6;
  const ScalingSpec spec = spec_with_target(10);
  Story story;
  story.decide(spec, seen, at(0));
  EXPECT_EQ(story.decide(spec, seen, at(599)).replicas, 7);
  EXPECT_EQ(story.decide(spec, seen, at(600)).replicas, 1);
}

TEST(NoDecision, NamesItsProblem) {
  DeciderState state;
  state.replicas = 3;
  Observation seen = load(10, 10, 3);
  seen.problem = Problem::kNoPodCount;
  EXPECT_EQ(explain::reason_text(decide(spec_with_target(10), seen, state, at(0))),
            "3 because the replicas could not be counted: held");
}

TEST(InitialScale, BringsTheFirstReplicaOfANewRevision) {
  ScalingSpec spec = spec_with_target(10);
  spec.initial_scale = 1;
  Story story(begin(spec, {}, at(0)));
  const Decision first = story.decide(spec, {}, at(0));
  EXPECT_EQ(first.replicas, 1);
  EXPECT_EQ(explain::reason_text(first),
            "1 because raised to 1 by initial-scale, which was not reached yet");
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(2)).replicas, 1);
  for (int second = 4; second < 96; second += 2) story.decide(spec, load(0, 0, 1), at(second));
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(96)).replicas, 0);  // a window and the grace time
  EXPECT_EQ(story.decide(spec, {}, at(98)).replicas, 0);             // and it does not come back
}

TEST(IdleClock, RunsFromTheLastRequest) {
  ScalingSpec spec = spec_with_target(10);
  spec.rules.keep_alive = config::KeepAlive::kConstant;
  Observation seen = load(0, 0, 1);
  seen.idle_for = seconds(299);
  EXPECT_EQ(decide(spec, seen, {}, at(0)).replicas, 1);
  seen.idle_for = seconds(300);
  const Decision decision = decide(spec, seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 0);
  EXPECT_EQ(explain::reason_text(decision),
            "0 because no request for 5m, longer than idle-clock 5m");
}

TEST(Reason, NamesRequestsPerSecond) {
  ScalingSpec spec = spec_with_target(100);
  spec.metric = config::Metric::kRps;
  EXPECT_EQ(explain::reason_text(decide(spec, load(250, 250, 3), {}, at(0))),
            "3 because 250 requests/s over 1m: 250 / 100, rounded up: 3");
}

}  // namespace
}  // namespace bellows::autoscaler::test
