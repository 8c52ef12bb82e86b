#include "autoscaler/core/load/backlog.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec draining() {
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  return spec;
}

/// One replica with ten slots is full, and `waiting` requests wait; each takes `service` seconds.
Observation full_with(double waiting, double service) {
  Observation seen = load(10 + waiting, 10 + waiting, 1);
  seen.stable.queued = seen.panic.queued = waiting;
  seen.newest = 10 + waiting;
  seen.waiting = static_cast<std::uint64_t>(waiting);
  seen.stable_rate = seen.panic_rate = 10 / service;
  seen.start_time = seconds(2);
  return seen;
}

TEST(BacklogTest, TheServiceTimeCountsWhatIsServedAndEnded) {
  EXPECT_NEAR(longest_service_seconds(full_with(200, 0.5)), 0.5, 0.01);
  Observation nothing_ended = full_with(2, 20);
  nothing_ended.stable_rate = 10.0 / 60;  // the ten that are served came within the window
  EXPECT_TRUE(std::isinf(longest_service_seconds(nothing_ended)));
}

TEST(BacklogTest, ManyBriefRequestsTakeFewSlots) {
  const Observation planned = planned_load(draining(), full_with(200, 0.05), 0.05);
  EXPECT_LT(planned.panic.total, 80) << "210 slots would be drained within a twentieth of a second";
  EXPECT_GT(planned.panic.total, 10);
}

TEST(BacklogTest, AQueueThatOutlivesAStartTakesASlotForEach) {
  const Observation seen = full_with(2, 20);
  EXPECT_EQ(planned_load(draining(), seen, 20).panic.total, 12);
  EXPECT_EQ(planned_load(draining(), seen, 20).newest, 12);
}

TEST(BacklogTest, KnativesArithmeticPlansForItAsIfItStayed) {
  ScalingSpec spec = draining();
  spec.rules.backlog = config::Backlog::kLoad;
  EXPECT_EQ(planned_load(spec, full_with(200, 0.05), 0.05), full_with(200, 0.05));
}

TEST(BacklogTest, LongRequestsThatWaitAtAFullReplicaGetASecondOneAtTheNextDecision) {
  DeciderState state = active_since(at(-600));
  state.service_seconds = 20;
  Observation seen = full_with(2, 20);
  seen.stable = {.total = 6.8, .per_pod = 6.7, .covered_seconds = 60, .queued = 0.1};
  seen.panic = {.total = 11, .per_pod = 10, .covered_seconds = 6, .queued = 1};
  EXPECT_EQ(decide(draining(), seen, state, at(0)).replicas, 2);
}

TEST(BacklogTest, ABacklogOfBriefRequestsIsNotPlannedForAsIfItStayed) {
  // From 10 to 60 requests a second of half a second each, while a replica starts.
  DeciderState state = active_since(at(-600));
  state.service_seconds = 0.05F;
  const Decision decision = decide(draining(), full_with(200, 0.05), state, at(0));
  EXPECT_LE(decision.replicas, 10) << "as if it stayed: 30";
}

}  // namespace
}  // namespace bellows::autoscaler::test
