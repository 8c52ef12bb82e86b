#include "autoscaler/core/rules/lasting_load.hpp"

#include <gtest/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec ten_slots() {
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  spec.rules.small_load_rules = config::SmallLoadRules::kSame;
  return spec;
}

/// One replica of ten slots, usually six of them in use; a start takes 2 s.
Observation one_full_replica(double newest, std::int64_t waiting) {
  Observation seen = load(6, 7, 1);
  seen.newest = newest;
  seen.waiting = waiting;
  seen.start_time = seconds(2);
  seen.stable_rate = seen.panic_rate = 0.1;
  return seen;
}

TEST(LastingLoad, ALongRequestKeepsItsSlotWhileAReplicaStarts) {
  const Observation seen = one_full_replica(10, 0);
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 40), 6 + 4 * 0.9, 1e-9) << "a tenth of 40 s is 4 s";
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 4), 6, 1e-9) << "all will have ended";
}

TEST(LastingLoad, AQueueThatOutlastsAStartTakesASlotEach) {
  const Observation seen = one_full_replica(12, 2);
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 40), 6 + 3.6 + (2 - 0.4), 1e-9);
  DeciderState state = active_since(at(-100));
  state.service_seconds = 40;
  const Decision decision = decide(ten_slots(), seen, state, at(0));
  EXPECT_EQ(decision.replicas, 2);
  EXPECT_EQ(decision.rule, Rule::kLasting);
}

TEST(LastingLoad, AQueueThatTheSlotsServeBeforeAStartIsOverNeedsNothing) {
  const Observation seen = one_full_replica(12, 2);
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 0.05), 6, 1e-9);
}

TEST(LastingLoad, WhatIsInServiceBeyondTheSlotsWaitsToo) {
  const Observation seen = one_full_replica(15, 0);
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 40), 6 + 3.6 + (5 - 0.4), 1e-9);
}

TEST(LastingLoad, AnOverloadThatLastsIsCountedOnce) {
  Observation seen = one_full_replica(60, 0);
  seen.stable.total = 50;
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 40), 60, 1e-9) << "all that are in flight, no more";
}

TEST(LastingLoad, ReplicasThatDoNotReportHaveTheirSlots) {
  Observation seen = one_full_replica(15, 0);
  seen.not_reporting = 1;
  EXPECT_NEAR(lasting_load(ten_slots(), seen, 40), 6 + 9 * 0.9, 1e-9);
}

TEST(LastingLoad, IsNotKnownWithoutAServiceTimeAStartTimeOrAServingReplica) {
  Observation seen = one_full_replica(15, 5);
  EXPECT_EQ(lasting_load(ten_slots(), seen, 0), 0);
  seen.observed = 0;
  EXPECT_EQ(lasting_load(ten_slots(), seen, 40), 0);
  seen = one_full_replica(15, 5);
  seen.start_time.reset();
  EXPECT_EQ(lasting_load(ten_slots(), seen, 40), 0);
}

TEST(LastingLoad, CountsRequestsInFlightAndOnlyIfShorterWindowsAreToCount) {
  const Observation seen = one_full_replica(15, 5);
  ScalingSpec spec = ten_slots();
  spec.metric = config::Metric::kRps;
  EXPECT_EQ(lasting_load(spec, seen, 40), 0);
  spec = ten_slots();
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  EXPECT_EQ(lasting_load(spec, seen, 40), 0);
}

TEST(LastingLoad, MoreNeverGivesLess) {
  for (const double service : {0.05, 1.0, 5.0, 40.0}) {
    double before = 0;
    for (int newest = 0; newest < 40; ++newest) {
      const double now = lasting_load(ten_slots(), one_full_replica(newest, 3), service);
      EXPECT_GE(now, before) << newest << " of " << service << " s";
      before = now;
    }
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
