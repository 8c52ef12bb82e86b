#include "autoscaler/core/rules/headroom.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

/// Ten slots a replica, 70 % of them at most planned with: profile bellows.
ScalingSpec ten_slots(double factor) {
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  spec.rules.headroom_factor = factor;
  return spec;
}

constexpr Room kIndependent;

TEST(Headroom, GrowsWithTheSquareRootOfTheLoad) {
  const ScalingSpec spec = ten_slots(2);
  EXPECT_DOUBLE_EQ(replicas_for(spec, 100, kIndependent), 12);  // 100 + 2 * 10
  EXPECT_DOUBLE_EQ(replicas_for(spec, 400, kIndependent), 44);  // 400 + 2 * 20
  // 2500 + 2 * 50; 70 % would be 357
  EXPECT_DOUBLE_EQ(replicas_for(spec, 2500, kIndependent), 260);
}

TEST(Headroom, OfASmallLoadIsNeverMoreThanTheUtilisationLeaves) {
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 7, kIndependent), 1);  // 7 + 2 * 2.6 would be 1.23
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(20), 70, kIndependent), 10);
}

TEST(Headroom, IsWiderForArrivalsThatComeInBursts) {
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 400, {.spread = 4}), 48);  // 400 + 2 * sqrt(4 * 400)
}

TEST(Headroom, IsWhatTheLoadGrowsWhileAReplicaStartsIfThatIsMoreThanChance) {
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 400, {.growth = 0.2}), 48);   // 400 + 80
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 400, {.growth = 0.05}), 44);  // 400 + 2 * 20
}

TEST(Headroom, ForGrowthIsNeverMoreThanTheUtilisationLeaves) {
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 700, {.growth = 3}), 100);
}

TEST(Headroom, IsAFixedPartOfTheLoadWhereAUtilisationIsSet) {
  ScalingSpec spec = ten_slots(2);
  spec.rules.headroom = config::Headroom::kUtilization;
  EXPECT_DOUBLE_EQ(replicas_for(spec, 700, {.spread = 4}), 100);
}

TEST(Headroom, OfNothingIsNothing) {
  EXPECT_EQ(replicas_for(ten_slots(2), 0, kIndependent), 0);
}

TEST(Headroom, IsFixedUnderAUtilisationOfTheServiceARateAndAnotherProfile) {
  config::RevisionSettings settings;
  EXPECT_EQ(scaling_spec(settings).rules.headroom, config::Headroom::kSquareRoot);
  settings.target_utilization_percentage = 80;
  EXPECT_EQ(scaling_spec(settings).rules.headroom, config::Headroom::kUtilization);
  settings.target_utilization_percentage.reset();
  settings.metric = config::Metric::kRps;
  EXPECT_EQ(scaling_spec(settings).rules.headroom, config::Headroom::kUtilization);
  EXPECT_EQ(spec_of("knative").rules.headroom, config::Headroom::kUtilization);
  EXPECT_EQ(spec_of("seed").rules.headroom, config::Headroom::kUtilization);
}

RC_GTEST_PROP(Headroom, NeverShrinksTheDemandWhenTheLoadGrows, ()) {
  const ScalingSpec spec = ten_slots(*rc::gen::inRange(0, 60) / 10.0);
  const double load = *rc::gen::inRange(0, 100'000) / 10.0;
  const double more = load + *rc::gen::inRange(0, 1000) / 10.0;
  const Room room{.spread = 1 + *rc::gen::inRange(0, 40) / 10.0,
                  .growth = *rc::gen::inRange(0, 60) / 100.0};
  RC_ASSERT(replicas_for(spec, more, room) >= replicas_for(spec, load, room));
}

RC_GTEST_PROP(Headroom, IsBetweenTheLoadItselfAndTheUtilisation, ()) {
  const ScalingSpec spec = ten_slots(*rc::gen::inRange(0, 60) / 10.0);
  const double load = *rc::gen::inRange(0, 100'000) / 10.0;
  RC_ASSERT(replicas_for(spec, load, kIndependent) >= load / spec.total);
  RC_ASSERT(replicas_for(spec, load, kIndependent) <= load / spec.target * (1 + 1e-12));
}

}  // namespace
}  // namespace bellows::autoscaler::test
