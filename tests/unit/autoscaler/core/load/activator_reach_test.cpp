#include "autoscaler/core/load/activator_reach.hpp"

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

TEST(ActivatorReach, EachActivatorThatIsKeptAwayUntilItSaysOtherwise) {
  ActivatorReach reach(3s);
  EXPECT_THAT(reach.kept_away(kStart), IsEmpty());
  reach.record(kSecond, 2, kStart);
  reach.record(kFirst, 1, kStart);
  EXPECT_THAT(reach.kept_away(kStart), ElementsAre(kFirst, kSecond));
  reach.record(kFirst, 0, kStart + 1s);
  EXPECT_THAT(reach.kept_away(kStart + 1s), ElementsAre(kSecond));
}

TEST(ActivatorReach, WhatADeadActivatorSaidDoesNotCount) {
  ActivatorReach reach(3s);
  reach.record(kFirst, 2, kStart);
  EXPECT_THAT(reach.kept_away(kStart + 3s), ElementsAre(kFirst));
  EXPECT_THAT(reach.kept_away(kStart + 3s + 1ms), IsEmpty());
}

TEST(ActivatorReach, AnOlderReportChangesNothing) {
  ActivatorReach reach(3s);
  reach.record(kFirst, 2, kStart);
  reach.record(kFirst, 0, kStart + 1s);
  reach.record(kFirst, 2, kStart + 500ms);
  EXPECT_THAT(reach.kept_away(kStart + 1s), IsEmpty());
}

}  // namespace
}  // namespace bellows::autoscaler
