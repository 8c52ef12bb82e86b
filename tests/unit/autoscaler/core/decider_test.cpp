#include "autoscaler/core/decider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

Observation at_zero() {
  return {};
}

/// `count` replicas run and serve nothing that is known.
Observation replicas_without_stats(PodCount count) {
  Observation seen;
  seen.ready = seen.not_reporting = seen.requested = count;
  return seen;
}

TEST(DeciderTarget, RoundingNoiseBuysNoReplica) {
  const ScalingSpec spec = spec_with_target(0.1);
  EXPECT_EQ(decide(spec, load(0.1 + 0.2, 0.3, 3), {}, at(0)).replicas, 3);  // 0.30000000000000004
}

TEST(DeciderTarget, AnyRealPartOfATargetBuysOne) {
  EXPECT_EQ(decide(spec_with_target(10), load(30.001, 30, 3), {}, at(0)).replicas, 4);
}

TEST(DeciderTarget, ReplicasThatStillStartAreNotOrderedAgain) {
  Observation seen = load(100, 100, 4);
  seen.requested = 10;
  seen.starting = 6;
  Story story;
  EXPECT_EQ(story.decide(spec_with_target(10), seen, at(0)).replicas, 10);
  EXPECT_EQ(story.decide(spec_with_target(10), seen, at(2)).replicas, 10);
}

TEST(DeciderPanic, ReplicasThatStillStartServeNothing) {
  // One serves 30 requests; nine have been ordered and still start.
  Observation seen = load(30, 30, 1);
  seen.starting = 9;
  seen.requested = 10;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).mode, Mode::kPanic);
  seen = load(30, 30, 10);
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).mode, Mode::kStable);
}

TEST(DeciderPanic, HoldsAtSixtySecondsAndIsOverAfterThem) {
  const auto state = panicking_since(at(0), 8);
  EXPECT_EQ(decide(spec_with_target(10), load(10, 10, 8), state, at(60)).replicas, 8);
  EXPECT_EQ(decide(spec_with_target(10), load(10, 10, 8), state, at(61)).replicas, 1);
}

TEST(DeciderPanic, AReplicaThatStopsReportingIsNoBurst) {
  // Eight carried 50; seven lost their stream three seconds ago: half of their load is in the
  // window.
  Observation seen = load(50, 28, 1);
  seen.ready = seen.requested = 8;
  seen.not_reporting = 7;
  const Decision decision = decide(spec_with_target(7), seen, {}, at(0));
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_EQ(decision.replicas, 8);
}

TEST(DeciderUpRate, CountsReadyReplicasAlone) {
  ScalingSpec spec = spec_with_target(1);
  Observation seen = load(1000, 1000, 1);
  Story story;
  for (int evaluation = 0; evaluation < 6; ++evaluation) {
    const Decision decision = story.decide(spec, seen, at(2 * evaluation));
    EXPECT_EQ(decision.replicas, 10);
    seen.requested = decision.replicas;
    seen.starting = decision.replicas - 1;
  }
}

TEST(DeciderFromZero, StaysThereWithoutRequests) {
  const Decision decision = decide(spec_with_target(10), at_zero(), {}, at(0));
  EXPECT_EQ(decision.replicas, 0);
  EXPECT_EQ(decision.rule, Rule::kAtZero);
}

TEST(DeciderFromZero, OneWaitingRequestIsEnough) {
  Observation seen = at_zero();
  seen.waiting = 1;
  const Decision decision = decide(spec_with_target(10), seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 1);
  EXPECT_EQ(decision.rule, Rule::kWaiting);
}

TEST(DeciderFromZero, ManyWaitingRequestsGetReplicasForAllOfThem) {
  Observation seen = at_zero();
  seen.waiting = 45;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).replicas, 5);
}

TEST(DeciderFromZero, TheUpRateHoldsForTheFirstOrderToo) {
  Observation seen = at_zero();
  seen.waiting = 1000;
  const Decision decision = decide(spec_with_target(10), seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 10);
  EXPECT_EQ(decision.rule, Rule::kUpRate);
}

TEST(DeciderFromZero, ACallerThatHungUpLeavesTheStartingReplicaAlone) {
  Observation seen = load(0.1, 0.1, 0);
  seen.starting = seen.requested = 1;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).replicas, 1);
}

TEST(DeciderToZero, UnknownSecondsAreNotIdle) {
  Observation seen = load(0, 0, 1);
  seen.stable.covered_seconds = 20;
  DeciderState state = active_since(at(-100));
  for (int second = 0; second < 300; second += 2) {
    const Decision decision = decide(spec_with_target(10), seen, state, at(second));
    ASSERT_EQ(decision.replicas, 1);
    remember(state, decision);
  }
}

TEST(DeciderToZero, AFewLostSecondsDoNotKeepItAlive) {
  Observation seen = load(0, 0, 1);
  seen.stable.covered_seconds = 56;
  Story story(active_since(at(-100)));
  EXPECT_EQ(story.decide(spec_with_target(10), seen, at(0)).replicas, 1);
  EXPECT_EQ(story.decide(spec_with_target(10), seen, at(30)).replicas, 0);
}

TEST(DeciderToZero, ARequestWithinTheGraceTimeRestartsIt) {
  const ScalingSpec spec = spec_with_target(10);
  Story story(active_since(at(-100)));
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(0)).rule, Rule::kGrace);
  story.decide(spec, load(0.01, 0.1, 1), at(28));
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(86)).rule, Rule::kLastReplica);
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(90)).rule, Rule::kGrace);
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(92)).replicas, 0)
      << "the activator was in the path";
}

TEST(DeciderToZero, ALeavingReplicaThatIsStillListedDoesNotScaleItFromZero) {
  const DeciderState state = inactive_since(at(-40));
  Observation seen = load(0, 0, 1);
  seen.requested = 0;
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(0)).replicas, 0);
  seen.observed = 0;
  seen.not_reporting = 1;  // it closed its stream and the list is old
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(2)).replicas, 0);
}

TEST(DeciderNoData, HoldsWhatRuns) {
  const Decision decision = decide(spec_with_target(10), replicas_without_stats(7), {}, at(0));
  EXPECT_EQ(decision.replicas, 7);
  EXPECT_EQ(decision.rule, Rule::kNoData);
}

TEST(DeciderNoData, ReplicasThatStartWithoutSayingAnythingAreHeld) {
  Observation seen;
  seen.starting = seen.requested = 3;
  const Decision decision = decide(spec_with_target(10), seen, {}, at(0));
  EXPECT_EQ(decision.replicas, 3);
  EXPECT_EQ(decision.rule, Rule::kNoData);
}

TEST(DeciderNoData, WaitingRequestsStillCount) {
  Observation seen = replicas_without_stats(1);
  seen.waiting = 60;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).replicas, 6);
}

TEST(DeciderBounds, MaxScaleHolds) {
  ScalingSpec spec = spec_with_target(10);
  spec.max_scale = 8;
  const Decision decision = decide(spec, load(100, 100, 1), {}, at(0));
  EXPECT_EQ(decision.replicas, 8);
  EXPECT_EQ(decision.desired, 10);
  EXPECT_EQ(decision.rule, Rule::kMaxScale);
}

TEST(DeciderBounds, MinScaleHoldsWithoutAnyLoad) {
  ScalingSpec spec = spec_with_target(10);
  spec.min_scale = 2;
  const Decision decision = decide(spec, at_zero(), {}, at(0));
  EXPECT_EQ(decision.replicas, 2);
  EXPECT_EQ(decision.rule, Rule::kMinScale);
}

TEST(DeciderBounds, WithoutScaleToZeroOneStays) {
  ScalingSpec spec = spec_with_target(10);
  spec.enable_scale_to_zero = false;
  const DeciderState state = inactive_since(at(-1000));
  EXPECT_EQ(decide(spec, load(0, 0, 1), state, at(0)).replicas, 1);
}

TEST(DeciderRetired, RunsNothingWhateverTheLoadAndTheBounds) {
  ScalingSpec spec = spec_with_target(10);
  spec.min_scale = 3;
  Observation seen = load(100, 100, 5);
  seen.is_retired = true;
  const Decision decision = decide(spec, seen, panicking_since(at(0), 9), at(1));
  EXPECT_EQ(decision.replicas, 0);
  EXPECT_EQ(decision.rule, Rule::kRetired);
  EXPECT_EQ(decision.mode, Mode::kStable);
}

TEST(DeciderPaused, KeepsTheRequestedNumberWhateverTheLoadAndTheBounds) {
  ScalingSpec spec = spec_with_target(10);
  spec.min_scale = 3;
  spec.max_scale = 4;
  for (const PodCount requested : {0, 2, 9}) {
    for (const double in_flight : {0.0, 500.0}) {
      Observation seen = load(in_flight, in_flight, requested);
      seen.is_paused = true;
      seen.requested = requested;
      const Decision decision = decide(spec, seen, panicking_since(at(0), 7), at(1));
      EXPECT_EQ(decision.replicas, requested);
      EXPECT_EQ(decision.rule, Rule::kPaused);
    }
  }
}

TEST(DeciderPaused, KnowsTheLoadOfThePauseWhenItGoesOn) {
  const ScalingSpec spec = spec_with_target(10);
  Observation seen = load(40, 40, 2);
  seen.requested = 2;
  seen.is_paused = true;
  Story story(inactive_since(at(-1000)));
  for (int second = 0; second < 120; second += 2) {
    const Decision decision = story.decide(spec, seen, at(second));
    EXPECT_EQ(decision.rule, Rule::kPaused);
    EXPECT_EQ(decision.replicas, 2);
    EXPECT_EQ(decision.mode, Mode::kPanic) << "the mode of the load, not of the number";
  }
  seen.is_paused = false;
  EXPECT_GT(story.decide(spec, seen, at(120)).replicas, 2);
}

TEST(DeciderPaused, RetiredWins) {
  Observation seen = load(100, 100, 5);
  seen.is_paused = seen.is_retired = true;
  seen.requested = 5;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).rule, Rule::kRetired);
}

TEST(DeciderFreshStart, WithoutHistoryNothingScalesDownForAWindow) {
  const ScalingSpec spec = spec_with_target(10);
  Observation seen = load(10, 10, 1);
  seen.requested = 3;  // one ready, two starting: no panic to begin with
  seen.starting = 2;
  seen.stable.covered_seconds = 4;
  Story story(begin(spec, seen, at(0)));
  const Decision early = story.decide(spec, seen, at(4));
  EXPECT_EQ(early.replicas, 3);
  EXPECT_EQ(early.rule, Rule::kNoData);
  EXPECT_EQ(story.decide(spec, seen, at(60)).replicas, 1);
}

TEST(DeciderFreshStart, ReplayedHistoryEndsIt) {
  Observation seen = load(10, 10, 1);
  seen.requested = 3;
  const DeciderState state = begin(spec_with_target(10), seen, at(0));
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(0)).replicas, 3);
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(2)).replicas, 1);
}

TEST(DeciderFreshStart, OneReplicaThatHasNotReportedYetIsEnoughToHold) {
  Observation seen = load(10, 10, 2);
  seen.ready = seen.requested = 3;
  seen.not_reporting = 1;
  const DeciderState state = resume({}, spec_with_target(10), seen, at(0));
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(10)).replicas, 3);
  seen.not_reporting = 0;
  seen.observed = 3;
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(12)).replicas, 1);
}

TEST(DeciderFreshStart, APredecessorThatKnewTwentySecondsIsMatchedByThem) {
  DeciderState saved;
  saved.known_back_to = at(-20);
  Observation seen = load(10, 10, 3);
  seen.stable.covered_seconds = 22;
  const DeciderState state = resume(saved, spec_with_target(10), seen, at(0));
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(2)).replicas, 1);
}

TEST(DeciderFreshStart, AtZeroThereIsNothingToBeCarefulAbout) {
  EXPECT_FALSE(begin(spec_with_target(10), at_zero(), at(0)).fresh);
  EXPECT_FALSE(resume({}, spec_with_target(10), at_zero(), at(0)).fresh);
}

TEST(DeciderMemory, TheDecisionCarriesWhatTheNextOneNeeds) {
  const Decision decision = decide(spec_with_target(10), load(50, 50, 5), {}, at(100));
  EXPECT_EQ(decision.after.replicas, 5);
  EXPECT_EQ(decision.after.known_back_to, at(40));
}

}  // namespace
}  // namespace bellows::autoscaler::test
