#include "activator/core/fill_limit.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{std::chrono::hours(24)};

config::RevisionSettings with_target(double target) {
  config::RevisionSettings settings;
  settings.target = target;
  return settings;
}

TEST(FillLimit, IsTwiceTheTargetWhileReplicasStart) {
  FillLimit fill;
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(false, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(9'999)), 20);
}

TEST(FillLimit, HoldsUntilTheAutoscalerHadTimeToOrderMore) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.next_change(), kStart + seconds(3));
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart + seconds(3)), 20) << "it has ordered";
  EXPECT_EQ(fill.next_change(), kStart + seconds(10));
}

TEST(FillLimit, IsLiftedForAMinuteAfterAVainWait) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart + seconds(3)), 0);
  EXPECT_EQ(fill.slots(true, kStart + seconds(62)), 0);
  EXPECT_EQ(fill.slots(true, kStart + seconds(63)), 20);
}

TEST(FillLimit, AQueueThatEmptiesStartsAnew) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  ASSERT_EQ(fill.slots(false, kStart + seconds(2)), 20);
  EXPECT_EQ(fill.next_change(), std::nullopt);
  EXPECT_EQ(fill.slots(true, kStart + seconds(4)), 20);
}

TEST(FillLimit, ThereIsNoneAtMaxScaleWithAllReplicasReady) {
  FillLimit fill;
  config::RevisionSettings settings = with_target(10);
  settings.max_scale = 4;
  fill.update(settings, 4, 4);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  fill.update(settings, 4, 3);
  EXPECT_EQ(fill.slots(true, kStart), 20) << "the fourth starts";
}

TEST(FillLimit, ThereIsNoneWithALimitOfItsOwnOrKnativesRules) {
  FillLimit fill;
  config::RevisionSettings settings = with_target(10);
  settings.container_concurrency = 50;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  settings = with_target(10);
  settings.profile = config::Profile::kKnative;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  settings = with_target(10);
  settings.load_balancing = config::LoadBalancing::kRandomChoice2;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
}

TEST(FillLimit, ASmallTargetLetsOneRequestIn) {
  FillLimit fill;
  fill.update(with_target(0.01), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 1);
}

}  // namespace
}  // namespace bellows::activator
