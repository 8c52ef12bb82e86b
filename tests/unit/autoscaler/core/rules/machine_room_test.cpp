// Replicas that are only kept go for another service, and do not come back by themselves.
#include "autoscaler/core/rules/machine_room.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

/// Four replicas, of which scale-down-delay keeps three: the load takes one.
struct Kept {
  ScalingSpec spec = spec_with_target(10);
  Story story{active_since(at(-600))};

  Kept() {
    spec.scale_down_delay = seconds(300);
    story.decide(spec, load(35, 35, 4), at(0));
  }
  Decision decide(std::int64_t second, double in_flight, PodCount pods,
                  std::optional<PodCount> limit = std::nullopt) {
    Observation seen = load(in_flight, in_flight, pods);
    seen.room_limit = limit;
    return story.decide(spec, seen, at(second));
  }
};

TEST(RoomOnTheMachine, WhatIsOnlyKeptGoesWhenAnotherServiceNeedsTheRoom) {
  Kept kept;
  EXPECT_EQ(kept.decide(10, 6, 4).replicas, 4) << "nobody needs the room";
  const Decision down = kept.decide(12, 6, 4, 1);
  EXPECT_EQ(down.replicas, 1);
  EXPECT_EQ(down.rule, Rule::kMachineRoom);
  EXPECT_EQ(down.needed, 1);
}

TEST(RoomOnTheMachine, WhatWentDoesNotComeBackWithoutLoad) {
  Kept kept;
  kept.decide(12, 6, 4, 2);
  for (int second = 14; second < 290; second += 2) {
    const Decision later = kept.decide(second, 6, 2);
    ASSERT_EQ(later.replicas, 2) << "at " << second << "s the delay still keeps four";
    ASSERT_EQ(later.rule, Rule::kMachineRoom);
  }
  EXPECT_EQ(kept.decide(310, 6, 2).rule, Rule::kTarget) << "the delay is over";
}

TEST(RoomOnTheMachine, LoadBringsReplicasBackAtOnce) {
  Kept kept;
  kept.decide(12, 6, 4, 1);
  const Decision back = kept.decide(14, 25, 1);
  EXPECT_EQ(back.replicas, 3) << "what the load takes, not the four that the delay would keep";
  EXPECT_EQ(back.mode, Mode::kPanic);
  EXPECT_EQ(kept.decide(16, 6, 3).replicas, 3) << "nothing goes in panic mode";
}

TEST(RoomOnTheMachine, NothingGoesThatTheLoadOrMinScaleNeeds) {
  Kept kept;
  EXPECT_EQ(kept.decide(12, 25, 4, 0).replicas, 3);
  kept.spec.min_scale = 2;
  EXPECT_EQ(kept.decide(14, 6, 3, 0).replicas, 2);
}

TEST(RoomOnTheMachine, NothingGoesInPanicModeOrWhileTheLoadIsUnknown) {
  Kept kept;
  EXPECT_EQ(kept.decide(12, 90, 4, 0).mode, Mode::kPanic);
  const Decision panic = kept.decide(14, 6, 9, 0);
  EXPECT_EQ(panic.mode, Mode::kPanic);
  EXPECT_EQ(panic.replicas, panic.needed);
  EXPECT_GE(panic.replicas, 9);
  Kept other;
  Observation silent = load(6, 6, 4);
  silent.not_reporting = 3;
  silent.room_limit = 0;
  EXPECT_EQ(other.story.decide(other.spec, silent, at(12)).replicas, 4);
}

TEST(RoomOnTheMachine, AnIdleServiceGoesToZeroAndStaysThere) {
  ScalingSpec spec = spec_with_target(10);
  Story story(active_since(at(-100)));
  Observation seen = load(0, 0, 1);
  EXPECT_EQ(story.decide(spec, seen, at(0)).rule, Rule::kGrace);
  seen.room_limit = 0;
  EXPECT_EQ(story.decide(spec, seen, at(2)).replicas, 0);
  EXPECT_EQ(story.decide(spec, load(0, 0, 0), at(4)).rule, Rule::kAtZero);
  Observation called = load(0, 0, 0);
  called.waiting = 1;
  EXPECT_EQ(story.decide(spec, called, at(6)).replicas, 1);
}

TEST(RoomOnTheMachine, AFirstReplicaThatStartsStays) {
  ScalingSpec spec = spec_with_target(10);
  DeciderState state = active_since(at(-10));
  state.activity.state = Serving::kActivating;
  state.is_initialised = true;
  Observation seen = load(0, 0, 1);
  seen.ready = 0;
  seen.starting = 1;
  seen.room_limit = 0;
  EXPECT_EQ(decide(spec, seen, state, at(0)).replicas, 1);
}

TEST(RoomOnTheMachine, OccupiedReplicasStay) {
  Kept kept;
  Observation seen = load(6, 6, 4);
  PolicySeen more;
  more.kept = 3;
  seen.policy = PolicySeenPtr(more);
  seen.room_limit = 0;
  const Decision down = kept.story.decide(kept.spec, seen, at(12));
  EXPECT_EQ(down.replicas, 3);
  EXPECT_EQ(down.needed, 3);
}

/// With any limits at any times: never below what is needed.
TEST(RoomOnTheMachine, AnyLimitsLeaveWhatIsNeeded) {
  SeededRandom random(21);
  for (int story = 0; story < 200; ++story) {
    Kept kept;
    PodCount pods = 4;
    for (int second = 2; second < 200; second += 2) {
      const double in_flight = static_cast<double>(random.next() % 40);
      std::optional<PodCount> limit;
      if (random.next() % 4 == 0) limit = static_cast<PodCount>(random.next() % 5);
      const Decision down = kept.decide(second, in_flight, pods, limit);
      ASSERT_GE(down.replicas, down.needed);
      ASSERT_GE(down.replicas, static_cast<PodCount>(in_flight / 10));
      ASSERT_LE(down.replicas, std::max<PodCount>(down.bounded, 1)) << "a limit adds no replica";
      pods = std::max<PodCount>(down.replicas, 1);
    }
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
