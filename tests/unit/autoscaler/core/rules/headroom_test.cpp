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
  spec.free_deviations = factor;
  return spec;
}

TEST(Headroom, GrowsWithTheSquareRootOfTheLoad) {
  const ScalingSpec spec = ten_slots(2);
  EXPECT_DOUBLE_EQ(replicas_for(spec, 100, 1), 12);  // 100 + 2 * 10
  EXPECT_DOUBLE_EQ(replicas_for(spec, 400, 1), 44);  // 400 + 2 * 20
  // 2500 + 2 * 50; 70 % would be 357
  EXPECT_DOUBLE_EQ(replicas_for(spec, 2500, 1), 260);
}

TEST(Headroom, OfASmallLoadIsNeverMoreThanTheUtilisationLeaves) {
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(2), 7, 1), 1);  // 7 + 2 * 2.6 would be 1.23
  EXPECT_DOUBLE_EQ(replicas_for(ten_slots(20), 70, 1), 10);
}

TEST(Headroom, OfALoadThatVariesMoreIsMore) {
  const ScalingSpec spec = ten_slots(2);
  // Batches of four: 400 + 2 * 40, beside 400 + 2 * 20 for callers on their own.
  EXPECT_DOUBLE_EQ(replicas_for(spec, 400, 4), 48);
  EXPECT_DOUBLE_EQ(replicas_for(spec, 400, 100), 400 / 7.0) << "and never more than 70 % leaves";
}

TEST(Headroom, IsAFixedPartOfTheLoadWhereAUtilisationIsSet) {
  ScalingSpec spec = ten_slots(2);
  spec.rules.headroom = config::Headroom::kUtilization;
  EXPECT_DOUBLE_EQ(replicas_for(spec, 700, 1), 100);
  EXPECT_DOUBLE_EQ(replicas_for(spec, 700, 50), 100);
}

TEST(Headroom, OfNothingIsNothing) {
  EXPECT_EQ(replicas_for(ten_slots(2), 0, 1), 0);
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

TEST(Headroom, TheProbabilitiesOfWaitingAreThoseOfHalfinAndWhitt) {
  EXPECT_NEAR(config::waiting_probability(0), 1, 1e-12);
  EXPECT_NEAR(config::waiting_probability(1), 0.2234, 0.0005);
  EXPECT_NEAR(config::waiting_probability(2), 0.0269, 0.0005);
  EXPECT_NEAR(config::waiting_probability(config::deviations_for(0.01)), 0.01, 1e-9);
}

TEST(Headroom, IsMoreWhereFewerMayWait) {
  config::RevisionSettings settings;
  EXPECT_NEAR(scaling_spec(settings).free_deviations, 2.8, 0.05);
  settings.rules.waiting_percentage = 1;
  EXPECT_NEAR(scaling_spec(settings).free_deviations, 2.4, 0.1);
}

RC_GTEST_PROP(Headroom, NeverShrinksTheDemandWhenTheLoadGrows, ()) {
  const ScalingSpec spec = ten_slots(*rc::gen::inRange(0, 60) / 10.0);
  const double load = *rc::gen::inRange(0, 100'000) / 10.0;
  const double more = load + *rc::gen::inRange(0, 1000) / 10.0;
  const double dispersion = *rc::gen::inRange(10, 500) / 10.0;
  RC_ASSERT(replicas_for(spec, more, dispersion) >= replicas_for(spec, load, dispersion));
}

RC_GTEST_PROP(Headroom, IsBetweenTheLoadItselfAndTheUtilisation, ()) {
  const ScalingSpec spec = ten_slots(*rc::gen::inRange(0, 60) / 10.0);
  const double load = *rc::gen::inRange(0, 100'000) / 10.0;
  const double dispersion = *rc::gen::inRange(10, 500) / 10.0;
  RC_ASSERT(replicas_for(spec, load, dispersion) >= load / spec.total);
  RC_ASSERT(replicas_for(spec, load, dispersion) <= load / spec.target * (1 + 1e-12));
}

}  // namespace
}  // namespace bellows::autoscaler::test
