#include "autoscaler/core/activators/wanted_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

const RevisionId kWeb("shop/web");

/// Three ready replicas with room for a burst.
Decision with_room() {
  Decision decision;
  decision.at = TimePoint(100s);
  decision.replicas = 3;
  decision.rule = Rule::kTarget;
  decision.burst_capacity = 50;
  decision.seen.ready = 3;
  decision.seen.does_activator_answer = false;
  decision.spec.total = 100;
  decision.spec.target_burst_capacity = 200;
  decision.spec.activator_capacity = 100;
  return decision;
}

bool goes_through(const Decision& decision) {
  PathMemory memory;
  return wanted_path(decision, kWeb, {}, memory).is_through_activators;
}

TEST(WantedPath, StraightWhereReplicasHaveRoom) {
  EXPECT_FALSE(goes_through(with_room()));
}

TEST(WantedPath, ThroughActivatorsWhereReplicasMayNotBeEnough) {
  Decision decision = with_room();
  decision.replicas = 0;
  EXPECT_TRUE(goes_through(decision));
  decision = with_room();
  decision.seen.ready = 0;
  EXPECT_TRUE(goes_through(decision)) << "three are starting";
  decision = with_room();
  decision.burst_capacity = -1;
  EXPECT_TRUE(goes_through(decision)) << "a full house, or target-burst-capacity -1";
}

TEST(WantedPath, ThroughActivatorsBeforeTheLastReplicaGoes) {
  Decision decision = with_room();
  decision.replicas = 1;
  decision.rule = Rule::kGrace;
  EXPECT_TRUE(goes_through(decision));
  decision = with_room();
  decision.replicas = 1;
  decision.rule = Rule::kLastReplica;
  EXPECT_FALSE(goes_through(decision)) << "it has not been idle for long";
}

TEST(WantedPath, SilenceOfReplicasThatMayStillReportIsNotIdleness) {
  Decision decision = with_room();
  decision.replicas = 1;
  decision.rule = Rule::kGrace;
  decision.after.load_unknown_since = decision.at - 9s;
  EXPECT_FALSE(goes_through(decision)) << "the autoscaler has just started";
  decision.after.load_unknown_since = decision.at - kPathSettles;
  EXPECT_TRUE(goes_through(decision));
}

TEST(WantedPath, AnAutoscalerThatStartsGoesOnWithThePathThatItFinds) {
  Decision decision = with_room();
  decision.seen.does_activator_answer = true;
  PathMemory memory;
  EXPECT_TRUE(wanted_path(decision, kWeb, {}, memory).is_through_activators);
  decision.at += kPathSettles;
  EXPECT_FALSE(wanted_path(decision, kWeb, {}, memory).is_through_activators);
}

TEST(WantedPath, StaysThroughUntilTheRoomHasLasted) {
  PathMemory memory;
  Decision full = with_room();
  full.burst_capacity = -5;
  EXPECT_TRUE(wanted_path(full, kWeb, {}, memory).is_through_activators);
  Decision spare = with_room();
  for (const Duration after : {2s, 6s, 11s}) {
    spare.at = full.at + after;
    EXPECT_TRUE(wanted_path(spare, kWeb, {}, memory).is_through_activators) << after.count();
  }
  full.at = spare.at + 1s;
  EXPECT_TRUE(wanted_path(full, kWeb, {}, memory).is_through_activators);
  spare.at = full.at + 1s;
  EXPECT_TRUE(wanted_path(spare, kWeb, {}, memory).is_through_activators) << "it begins anew";
  spare.at += kPathSettles;
  EXPECT_FALSE(wanted_path(spare, kWeb, {}, memory).is_through_activators);
}

TEST(WantedPath, ItsReasonStaysWhileTheRoomGoesUpAndDown) {
  PathMemory memory;
  Decision decision = with_room();
  std::vector<std::string> reasons;
  for (int i = 0; i < 6; ++i) {
    decision.burst_capacity = i % 2 == 0 ? -1 : 1;
    decision.at += 2s;
    reasons.push_back(wanted_path(decision, kWeb, {}, memory).reason);
  }
  EXPECT_THAT(reasons, testing::Each(std::string("the replicas have too little room for a burst")));
  decision.at += kPathSettles;
  EXPECT_EQ(wanted_path(decision, kWeb, {}, memory).reason, "the replicas have room");
}

TEST(WantedPath, NoReplicaIsReadyIsNoReasonOnceOneIs) {
  PathMemory memory;
  Decision decision = with_room();
  decision.seen.ready = 0;
  EXPECT_EQ(wanted_path(decision, kWeb, {}, memory).reason, "no replica is ready");
  decision.seen.ready = 1;
  EXPECT_EQ(wanted_path(decision, kWeb, {}, memory).reason,
            "the replicas have room, but not for long yet");
}

TEST(WantedPath, NamesAsManyActivatorsAsTheRevisionNeedsAndAlwaysTheSame) {
  std::vector<PodName> activators;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) activators.emplace_back(name);
  PathMemory memory;
  const auto order = wanted_path(with_room(), kWeb, activators, memory);
  EXPECT_THAT(order.activators, SizeIs(5)) << "3 * 100 + 200 requests, 100 for each";
  EXPECT_TRUE(std::is_sorted(order.activators.begin(), order.activators.end()));
  EXPECT_EQ(order.activators, wanted_path(with_room(), kWeb, activators, memory).activators);
  EXPECT_THAT(wanted_path(with_room(), kWeb, {}, memory).activators, IsEmpty());
}

}  // namespace
}  // namespace bellows::autoscaler
