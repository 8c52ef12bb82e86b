// The rows of knative.md 7.4 under profile knative, by their numbers there: grace time 60 s, stable
// window 5 min, progress deadline 121 s. "Left as they are" is what Knative calls no patch.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

using std::chrono::minutes;

/// What a row changes of a revision without load.
struct Scene {
  ScalingSpec spec = spec_of("knative");
  Observation seen = load(0, 0, 1);
  DeciderState state;

  Scene() {
    spec.stable_window = minutes(5);
    spec.scale_to_zero_grace_period = seconds(60);
    spec.progress_deadline = seconds(121);
    state.is_initialised = true;
  }
  void has_been(Serving serving, Duration duration) {
    state.activity = {serving, at(0) - duration};
  }
  void pods(PodCount requested) { seen.requested = requested; }
};

struct Row {
  const char* name;
  std::function<void(Scene&)> change;
  PodCount replicas;
  Rule rule;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

/// Without callers there is no min-scale (knative.md 3.4): two of three replicas that should be
/// ready are enough to have been active for a while.
TEST(KnativeUnreachable, IsActiveBelowMinScaleAndScalesToZero) {
  Scene scene;
  scene.spec.min_scale = 3;
  scene.spec.stable_window = seconds(60);
  scene.spec.scale_to_zero_grace_period = seconds(30);
  scene.seen = load(0, 0, 2);
  scene.seen.is_reachable = false;
  scene.state.activity = {Serving::kActivating, at(-10)};
  scene.state.replicas = 2;
  Story story(scene.state);
  EXPECT_EQ(to_string(story.decide(scene.spec, scene.seen, at(0)).after.activity.state), "active");
  PodCount replicas = 2;
  std::int64_t second = 0;
  for (; replicas > 0 && second < 600; second += 2) {
    replicas = story.decide(scene.spec, scene.seen, at(second)).replicas;
  }
  EXPECT_EQ(second - 2, 62);  // a window as active, and the activators were in the path already
}

class KnativeToZero : public testing::TestWithParam<Row> {};

TEST_P(KnativeToZero, IsGoneAsInItsTable) {
  Scene scene;
  GetParam().change(scene);
  const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
  EXPECT_EQ(decision.replicas, GetParam().replicas);
  EXPECT_EQ(to_string(decision.rule), to_string(GetParam().rule));
}

void active_for(Scene& scene, Duration duration, PodCount pods) {
  scene.has_been(Serving::kActive, duration);
  scene.pods(pods);
}

void inactive_for(Scene& scene, Duration duration, PodCount pods) {
  scene.has_been(Serving::kInactive, duration);
  scene.pods(pods);
}

const std::vector<Row> kRows = {
    {"Row65OneIsLeftWhileActiveForLessThanAWindow",
     [](Scene& s) { active_for(s, seconds(299), 1); }, 1, Rule::kLastReplica},
    {"Row66TenBecomeOne", [](Scene& s) { active_for(s, seconds(299), 10); }, 1, Rule::kLastReplica},
    {"Row67AfterAWindowItIsLeftAsItIs", [](Scene& s) { active_for(s, minutes(5), 1); }, 1,
     Rule::kGrace},
    {"Row68InactiveForTheGraceTimeEnds", [](Scene& s) { inactive_for(s, seconds(60), 1); }, 0,
     Rule::kToZero},
    {"Row68NotASecondEarlier", [](Scene& s) { inactive_for(s, seconds(59), 1); }, 1, Rule::kGrace},
    {"Row70RetentionIsWaitedFor",
     [](Scene& s) {
       inactive_for(s, seconds(60), 1);
       s.spec.pod_retention = seconds(120);
     },
     1, Rule::kGrace},
    {"Row72WithoutALeavingActivatorNobodyIsAsked",
     [](Scene& s) {
       inactive_for(s, seconds(60), 1);
       s.spec.target_burst_capacity = -1;
       s.seen.does_activator_answer = false;
     },
     0, Rule::kToZero},
    {"Row73AnActivatorThatDoesNotAnswerIsWaitedFor",
     [](Scene& s) {
       inactive_for(s, seconds(60), 1);
       s.seen.does_activator_answer = false;
     },
     1, Rule::kGrace},
    {"Row75MinScaleStays",
     [](Scene& s) {
       inactive_for(s, seconds(60), 10);
       s.spec.min_scale = 2;
     },
     2, Rule::kMinScale},
    {"Row76MinScaleDoesNotHoldWhatNobodyReaches",
     [](Scene& s) {
       inactive_for(s, seconds(60), 10);
       s.spec.min_scale = 2;
       s.seen.is_reachable = false;
     },
     0, Rule::kToZero},
    {"Row76NorDoesRetention",
     [](Scene& s) {
       inactive_for(s, seconds(60), 10);
       s.spec.pod_retention = minutes(10);
       s.seen.is_reachable = false;
     },
     0, Rule::kToZero},
    {"Row77MaxScaleHolds",
     [](Scene& s) {
       s.seen = load(700, 700, 1);
       s.spec.max_scale = 8;
     },
     8, Rule::kMaxScale},
    {"Row78WhatIsNotKnownIsLeftAsItIs",
     [](Scene& s) {
       active_for(s, minutes(1), 12);
       s.state.replicas = 12;
       s.seen.stable.covered_seconds = 0;
     },
     12, Rule::kNoData},
    {"Row80ScaleToZeroOffKeepsOne",
     [](Scene& s) {
       inactive_for(s, minutes(10), 1);
       s.spec.enable_scale_to_zero = false;
     },
     1, Rule::kMinScale},
    {"Row80AndMinScale",
     [](Scene& s) {
       inactive_for(s, minutes(10), 1);
       s.spec.enable_scale_to_zero = false;
       s.spec.min_scale = 2;
     },
     2, Rule::kMinScale},
    {"ActivatingIsWaitedFor",
     [](Scene& s) {
       s.has_been(Serving::kActivating, seconds(151));
       s.seen = load(0, 0, 0);
       s.pods(1);
     },
     1, Rule::kLastReplica},
    {"ButNotLongerThanTheDeadlineAndHalfAMinute",
     [](Scene& s) {
       s.has_been(Serving::kActivating, seconds(152));
       s.seen = load(0, 0, 0);
       s.pods(1);
     },
     0, Rule::kToZero},
    {"WhatTheActivatorHeldForTheGraceTimeGoesAtOnce",
     [](Scene& s) {
       inactive_for(s, seconds(1), 1);
       s.state.proxying_since = at(-60);
     },
     0, Rule::kToZero},
    {"ButRetentionIsWaitedForThenToo",
     [](Scene& s) {
       inactive_for(s, seconds(1), 1);
       s.spec.pod_retention = seconds(2);
       s.state.proxying_since = at(-60);
     },
     1, Rule::kGrace},
};

INSTANTIATE_TEST_SUITE_P(Rows, KnativeToZero, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(KnativeToZeroRow67, AfterAWindowItIsInactive) {
  Scene scene;
  active_for(scene, minutes(5), 1);
  const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
  EXPECT_EQ(decision.after.activity, (Activity{Serving::kInactive, at(0)}));
}

/// knative.md 3.2: the bounds are applied to what was wanted last, whether or not that is news.
/// Where nothing was ever wanted Knative applies them to a new revision, and there a changed
/// min-scale makes one.
TEST(KnativeWithoutData, ItsBoundsHoldAllTheSame) {
  for (const char* profile : {"knative", "seed"}) {
    SCOPED_TRACE(profile);
    ScalingSpec spec = spec_of(profile);
    spec.initial_scale = 0;
    Story never_called(begin(spec, {}, at(0)));
    EXPECT_EQ(never_called.decide(spec, {}, at(2)).replicas, 0);
    spec.min_scale = 2;
    const Decision raised = never_called.decide(spec, {}, at(4));
    EXPECT_EQ(raised.replicas, 2);
    EXPECT_EQ(to_string(raised.rule), "min-scale");
    EXPECT_FALSE(raised.is_valid);
  }
}

TEST(KnativeWithoutData, NothingNamesItsBoundsButThoseThatBind) {
  ScalingSpec spec = spec_of("knative");
  spec.min_scale = 5;
  EXPECT_EQ(to_string(decide(spec, {}, begin(spec, {}, at(0)), at(0)).rule), "min-scale");
  spec.initial_scale = 7;
  EXPECT_EQ(to_string(decide(spec, {}, begin(spec, {}, at(0)), at(0)).rule), "initial-scale");
  Observation unreachable;
  unreachable.is_reachable = false;
  EXPECT_EQ(decide(spec, unreachable, begin(spec, {}, at(0)), at(0)).replicas, 0);
}

TEST(Initial, ScaleIsKeptUntilSoManyWereReadyOnce) {
  ScalingSpec spec = spec_of("knative");
  spec.initial_scale = 3;
  Story story(begin(spec, {}, at(0)));
  Observation seen;
  EXPECT_EQ(story.decide(spec, seen, at(0)).replicas, 3);  // nothing is known yet
  seen = load(1, 1, 1);
  seen.requested = 3;
  EXPECT_EQ(story.decide(spec, seen, at(2)).rule, Rule::kInitialScale);
  seen = load(1, 1, 3);
  EXPECT_EQ(story.decide(spec, seen, at(4)).replicas, 1);
  EXPECT_TRUE(story.state().is_initialised);
  EXPECT_EQ(story.decide(spec, load(1, 1, 1), at(6)).replicas, 1);
}

TEST(Initial, ScaleDoesNotHoldWhatIsNotReached) {
  ScalingSpec spec = spec_of("knative");
  spec.initial_scale = 3;
  Observation seen = load(1, 1, 1);
  seen.is_reachable = false;
  EXPECT_EQ(decide(spec, seen, begin(spec, seen, at(0)), at(0)).replicas, 1);
}

}  // namespace
}  // namespace bellows::autoscaler::test
