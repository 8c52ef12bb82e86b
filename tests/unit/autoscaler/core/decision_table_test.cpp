// Where profile bellows answers otherwise than Knative to the rows of knative.md 7.1 and to the
// stories behind them (docs/decisions/0012-how-the-default-decides.md).
#include <gtest/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

TEST(BellowsDiffers, Row20WithoutAPodCountNothingScalesDownEither) {
  Observation seen = load(0, 0, 5);
  seen.problem = Problem::kNoPodCount;
  DeciderState state;
  state.replicas = 5;
  EXPECT_EQ(decide(spec_with_target(10), seen, state, at(0)).replicas, 5);
}

TEST(BellowsDiffers, UnknownSecondsAreNoIdleness) {
  // Five replicas, no stat since the window began: Knative's stable value is an error, ours a hold;
  // with the activator always in the path Knative takes the same for zero and scales down.
  Observation seen = load(0, 0, 5);
  seen.stable.covered_seconds = seen.panic.covered_seconds = 0;
  seen.not_reporting = 5;
  seen.observed = 0;
  ScalingSpec knative = spec_of("knative");
  knative.target_burst_capacity = -1;
  EXPECT_EQ(decide(knative, seen, active_since(at(-100)), at(0)).desired, 2);
  EXPECT_EQ(decide(spec_with_target(10), seen, active_since(at(-100)), at(0)).replicas, 5);
}

TEST(BellowsDiffers, ADelayIsNotBuiltOnceAndForAll) {
  ScalingSpec spec = spec_with_target(10);
  Story story;
  story.decide(spec, load(50, 50, 5), at(0));
  spec.scale_down_delay = seconds(60);
  story.decide(spec, load(50, 50, 5), at(2));
  EXPECT_EQ(story.decide(spec, load(10, 10, 5), at(4)).rule, Rule::kDelay);
}

TEST(BellowsDiffers, TheFirstRequestsGetReplicasWithoutAnyAverage) {
  Observation seen;
  seen.waiting = 45;
  EXPECT_EQ(decide(spec_with_target(10), seen, {}, at(0)).replicas, 5);
  EXPECT_EQ(decide(spec_of("knative"), seen, {}, at(0)).replicas, 1);
}

TEST(BellowsDiffers, AfterARestartNothingScalesDownBeforeEnoughIsKnown) {
  Observation seen = load(10, 10, 1);
  seen.requested = 3;  // two still start
  seen.starting = 2;
  seen.stable.covered_seconds = 3;
  const ScalingSpec spec = spec_with_target(10);
  const ScalingSpec knative = spec_of("knative");
  EXPECT_EQ(decide(spec, seen, begin(spec, seen, at(0)), at(2)).replicas, 3);
  EXPECT_EQ(decide(knative, seen, begin(knative, seen, at(0)), at(2)).replicas, 1);
}

TEST(BellowsDiffers, BoundsHoldBesideRunningReplicasBeforeTheFirstReport) {
  Observation seen;
  seen.ready = seen.requested = seen.not_reporting = 12;
  for (const char* profile : {"bellows", "knative", "seed"}) {
    ScalingSpec spec = spec_of(profile);
    spec.max_scale = 8;
    EXPECT_EQ(decide(spec, seen, begin(spec, seen, at(0)), at(0)).replicas, 8) << profile;
    spec.min_scale = spec.max_scale = 15;
    EXPECT_EQ(decide(spec, seen, begin(spec, seen, at(0)), at(0)).replicas, 15) << profile;
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
