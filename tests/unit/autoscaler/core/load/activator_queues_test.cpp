#include "autoscaler/core/load/activator_queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint kStart{1h};
const PodName kFirst("a-1");
const PodName kSecond("a-2");

TEST(ActivatorQueues, AnActivatorIsKeptAwayUntilItSaysOtherwise) {
  ActivatorQueues queues(3s);
  EXPECT_THAT(queues.kept_away(kStart), IsEmpty());
  queues.record(kSecond, 0, kStart, 2);
  queues.record(kFirst, 0, kStart, 1);
  EXPECT_THAT(queues.kept_away(kStart), ElementsAre(kFirst, kSecond));
  queues.record(kFirst, 0, kStart + 1s, 0);
  EXPECT_THAT(queues.kept_away(kStart + 1s), ElementsAre(kSecond));
}

TEST(ActivatorQueues, WhatADeadActivatorSaidDoesNotCount) {
  ActivatorQueues queues(3s);
  queues.record(kFirst, 0, kStart, 2);
  EXPECT_THAT(queues.kept_away(kStart + 3s), ElementsAre(kFirst));
  EXPECT_THAT(queues.kept_away(kStart + 3s + 1ms), IsEmpty());
}

TEST(ActivatorQueues, AnOlderReportChangesNothing) {
  ActivatorQueues queues(3s);
  queues.record(kFirst, 0, kStart, 2);
  queues.record(kFirst, 0, kStart + 1s, 0);
  queues.record(kFirst, 0, kStart + 500ms, 2);
  EXPECT_THAT(queues.kept_away(kStart + 1s), IsEmpty());
}

TEST(ActivatorQueues, ATriggerSaysNothingAboutReachedReplicas) {
  ActivatorQueues queues(3s);
  queues.record(kFirst, 1, kStart, 2);
  queues.record(kFirst, 5, kStart + 1s);
  EXPECT_THAT(queues.kept_away(kStart + 1s), ElementsAre(kFirst));
  EXPECT_EQ(queues.waiting(kStart + 1s), 5);
}

}  // namespace
}  // namespace bellows::autoscaler
