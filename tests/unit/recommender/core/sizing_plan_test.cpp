#include "recommender/core/sizing_plan.hpp"

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using config::ResourcesMode;

constexpr TimePoint kNow{std::chrono::hours(24)};

Amounts amounts(std::int64_t millicores, std::int64_t mib) {
  return {Millicores{millicores}, mebibytes(mib)};
}

Sizes advice(Amounts lower, Amounts target, Amounts upper) {
  return {.target = target, .lower_bound = lower, .upper_bound = upper, .uncapped_target = target};
}

/// Half and twice the target, as the spike rule has them.
Sizes around(std::int64_t millicores, std::int64_t mib) {
  return advice(amounts(millicores / 2, mib / 2), amounts(millicores, mib),
                amounts(millicores * 2, mib * 2));
}

ReplicaSize size(std::int64_t millicores, std::int64_t mib, std::int64_t limit_mib) {
  return {Millicores{millicores}, mebibytes(mib), mebibytes(limit_mib)};
}

/// Mode auto, first requests 100m and 64Mi, one calm replica that has what is recommended: 200m,
/// 128Mi, limit 256Mi.
SizingInput calm() {
  SizingInput input;
  input.settings = {ResourcesMode::kAuto, Millicores{100}, mebibytes(64)};
  input.advice = around(200, 128);
  input.replicas = {
      {.name = PodName("web-1"), .size = size(200, 128, 256), .memory_use = mebibytes(90)}};
  return input;
}

TEST(SizingPlan, NothingIsDoneWhereTheSizeIsRightAlready) {
  const SizingPlan plan = plan_sizes(calm(), kNow);
  EXPECT_EQ(plan.for_new, size(200, 128, 256));
  EXPECT_TRUE(plan.resizes.empty());
  EXPECT_EQ(plan.note, "");
}

TEST(SizingPlan, WithRequestsOnlyThereIsNoHardLimitAndOneThatIsThereGoes) {
  SizingInput input = calm();
  input.settings.controlled_values = config::ControlledValues::kRequestsOnly;
  const ReplicaSize unlimited = {Millicores{200}, mebibytes(128), std::nullopt};
  input.for_new = size(200, 128, 256);
  SizingPlan plan = plan_sizes(input, kNow);
  EXPECT_EQ(plan.for_new, unlimited);
  EXPECT_EQ(plan.resizes,
            (std::vector<Resize>{{PodName("web-1"), unlimited, "limit 256Mi -> none"}}));
  input.scaling.is_panic = true;
  plan = plan_sizes(input, kNow);
  EXPECT_EQ(plan.for_new, unlimited);
  EXPECT_TRUE(plan.resizes.empty()) << "running replicas keep their size in panic mode";
  input.replicas[0].is_down = true;
  ASSERT_EQ(plan_sizes(input, kNow).resizes.size(), 1U);
  EXPECT_EQ(plan_sizes(input, kNow).resizes[0].size.memory_limit, std::nullopt);
  input.replicas[0].size = unlimited;
  EXPECT_TRUE(plan_sizes(input, kNow).resizes.empty());
}

TEST(SizingPlan, AMemoryLimitHoldsAndNothingAboveItIsOrderedAgainAndAgain) {
  struct Row {
    const char* situation;
    config::ControlledValues values;
    bool is_advised;
    std::optional<Bytes> use;
    const char* note;
  };
  const auto both = config::ControlledValues::kRequestsAndLimits;
  const auto requests = config::ControlledValues::kRequestsOnly;
  const std::vector<Row> rows = {
      {"a need above it", both, true, mebibytes(90), "memory-limit 100Mi keeps memory below 512Mi"},
      {"a use near it", both, true, mebibytes(99), "memory-limit 100Mi keeps memory below 512Mi"},
      {"requests only", requests, true, mebibytes(90),
       "memory-limit 100Mi keeps memory below 512Mi"},
      {"unknown use", both, true, std::nullopt, "memory-limit 100Mi keeps memory below 512Mi"},
      {"a first request above it", both, false, mebibytes(90),
       "memory-limit 100Mi keeps memory below 128Mi"}};
  for (const Row& row : rows) {
    SizingInput input = calm();
    input.settings.memory = mebibytes(128);
    input.settings.memory_limit = mebibytes(100);
    input.settings.controlled_values = row.values;
    input.advice = row.is_advised ? around(100, 512) : Sizes();
    input.replicas[0].size = size(100, 100, 100);
    input.replicas[0].memory_use = row.use;
    for (const bool is_down : {false, true}) {
      input.replicas[0].is_down = is_down;
      const SizingPlan plan = plan_sizes(input, kNow);
      EXPECT_EQ(plan.for_new, size(100, 100, 100)) << row.situation;
      EXPECT_TRUE(plan.resizes.empty()) << row.situation << ": " << plan.resizes[0].reason;
      EXPECT_EQ(plan.note, row.note) << row.situation;
    }
  }
}

TEST(SizingPlan, SaysWhyItIsAdviceOnly) {
  struct Case {
    std::string situation;
    ResourcesMode mode;
    bool has_first_requests;
    std::string cannot_write;
    std::string note;
  };
  const std::vector<Case> cases = {
      {"off", ResourcesMode::kOff, true, "", "off: nothing is measured"},
      {"advise", ResourcesMode::kAdvise, true, "", "advice only: resources-mode is advise"},
      {"no first request", ResourcesMode::kAuto, false, "",
       "advice only: neither cpu nor memory is set, so there is no first request"},
      {"no rights", ResourcesMode::kAuto, true, "/sys/fs/cgroup: read-only",
       "advice only: /sys/fs/cgroup: read-only"}};
  for (const Case& each : cases) {
    SizingInput input = calm();
    input.replicas[0].size = {};
    input.settings.mode = each.mode;
    input.cannot_write = each.cannot_write;
    if (!each.has_first_requests) input.settings.cpu.reset(), input.settings.memory.reset();
    const SizingPlan plan = plan_sizes(input, kNow);
    EXPECT_EQ(plan.note, each.note) << each.situation;
    EXPECT_TRUE(plan.for_new.empty() && plan.resizes.empty()) << each.situation;
  }
}

TEST(SizingPlan, BeforeThereIsAdviceTheFirstRequestHoldsAndNoLimit) {
  SizingInput input = calm();
  input.advice = {};
  input.replicas.clear();
  EXPECT_EQ(plan_sizes(input, kNow).for_new,
            (ReplicaSize{Millicores{100}, mebibytes(64), std::nullopt}));
}

TEST(SizingPlan, AnUpperBoundOfWhichTooLittleIsKnownIsNoLimit) {
  SizingInput input = calm();
  input.advice.upper_bound.memory = Bytes{kMaxAmount};
  input.replicas.clear();
  EXPECT_EQ(plan_sizes(input, kNow).for_new.memory_limit, std::nullopt);
}

TEST(SizingPlan, AResourceWithoutFirstRequestIsNotGoverned) {
  SizingInput input = calm();
  input.settings.cpu.reset();
  input.replicas[0].size = {};
  const SizingPlan plan = plan_sizes(input, kNow);
  ASSERT_EQ(plan.resizes.size(), 1u);
  EXPECT_EQ(plan.resizes[0].size, (ReplicaSize{std::nullopt, mebibytes(128), mebibytes(256)}));
}

TEST(SizingPlan, ModeInitialSizesWhatStartsAndLeavesWhatRuns) {
  SizingInput input = calm();
  input.settings.mode = ResourcesMode::kInitial;
  input.advice = around(400, 512);
  SizingPlan plan = plan_sizes(input, kNow);
  EXPECT_EQ(plan.for_new, size(400, 512, 1024));
  EXPECT_TRUE(plan.resizes.empty());

  input.replicas[0].is_down = true;
  plan = plan_sizes(input, kNow);
  ASSERT_EQ(plan.resizes.size(), 1u);
  EXPECT_EQ(plan.resizes[0].reason, "cpu 200m -> 400m, memory 128Mi -> 512Mi, limit 256Mi -> 1Gi");
}

TEST(SizingPlan, WhatRunsIsNotResizedWhileReplicasComeUpOrInPanic) {
  for (const ScalingState scaling :
       {ScalingState{.is_panic = true}, ScalingState{.is_growing = true}}) {
    SizingInput input = calm();
    input.advice = around(400, 512);
    input.scaling = scaling;
    const SizingPlan plan = plan_sizes(input, kNow);
    EXPECT_TRUE(plan.resizes.empty());
    EXPECT_EQ(plan.note, scaling.is_panic
                             ? "running replicas keep their size in panic mode"
                             : "running replicas keep their size while more are coming up");
  }
}

// Replicas that are all OOM-killed are never ready, so that to the autoscaler they are for ever
// coming up: without the exception nothing would get them out.
TEST(SizingPlan, AReplicaThatIsDownGrowsEvenInPanicButDoesNotShrink) {
  SizingInput input = calm();
  input.scaling = {.is_panic = true, .is_growing = true};
  input.replicas[0].is_down = true;
  input.replicas[0].memory_use.reset();
  input.advice = advice(amounts(25, 128), amounts(50, 256), amounts(100, 512));
  const SizingPlan plan = plan_sizes(input, kNow);
  ASSERT_EQ(plan.resizes.size(), 1u);
  EXPECT_EQ(plan.resizes[0].size, size(200, 256, 512));
  EXPECT_EQ(plan.resizes[0].reason, "memory 128Mi -> 256Mi, limit 256Mi -> 512Mi");

  input.advice = around(20, 16);
  EXPECT_TRUE(plan_sizes(input, kNow).resizes.empty());
}

TEST(SizingPlan, InPanicNewReplicasGetNoLessMemoryThanThoseBefore) {
  SizingInput input = calm();
  input.for_new = size(500, 512, 1024);
  input.scaling.is_panic = true;
  EXPECT_EQ(plan_sizes(input, kNow).for_new, size(200, 512, 1024));
  input.scaling.is_panic = false;
  EXPECT_EQ(plan_sizes(input, kNow).for_new, size(200, 128, 256));
}

TEST(SizingPlan, TheHardLimitStaysAFifthAboveWhatIsUsed) {
  SizingInput input = calm();
  input.replicas[0].memory_use = mebibytes(250);
  const SizingPlan plan = plan_sizes(input, kNow);
  ASSERT_EQ(plan.resizes.size(), 1u);
  EXPECT_EQ(plan.resizes[0].size, size(200, 128, 300));
}

TEST(SizingPlan, MemoryWhoseUseIsUnknownIsNotTakenAway) {
  SizingInput input = calm();
  input.advice = around(200, 32);
  input.replicas[0].memory_use.reset();
  EXPECT_TRUE(plan_sizes(input, kNow).resizes.empty());
  input.replicas[0].memory_use = mebibytes(20);
  ASSERT_EQ(plan_sizes(input, kNow).resizes.size(), 1u);
  EXPECT_EQ(plan_sizes(input, kNow).resizes[0].size, size(200, 32, 64));
}

TEST(SizingPlan, AReplicaWithoutLimitGetsNoneBeforeItsUseIsKnown) {
  SizingInput input = calm();
  input.replicas[0] = {.name = PodName("web-1"), .size = {Millicores{200}, mebibytes(64), {}}};
  const SizingPlan plan = plan_sizes(input, kNow);
  ASSERT_EQ(plan.resizes.size(), 1u);
  EXPECT_EQ(plan.resizes[0].size, (ReplicaSize{Millicores{200}, mebibytes(128), std::nullopt}));
}

TEST(SizingPlan, SmallDifferencesAreNotWorthAWriteUnlessABoundIsPassed) {
  SizingInput input = calm();
  input.advice = advice(amounts(50, 64), amounts(210, 120), amounts(400, 256));
  EXPECT_TRUE(plan_sizes(input, kNow).resizes.empty());
  input.advice.lower_bound.cpu = Millicores{205};  // 200m is too little now
  EXPECT_EQ(plan_sizes(input, kNow).resizes.size(), 1u);
}

TEST(SizingPlan, AfterAResizeTheNextWaitsUntilTheUseWasReadAnew) {
  SizingInput input = calm();
  input.settle = 60s;
  input.advice = around(100, 128);
  input.replicas[0].resized = kNow - 59s;
  SizingPlan plan = plan_sizes(input, kNow);
  EXPECT_TRUE(plan.resizes.empty());
  EXPECT_EQ(plan.note, "web-1 was resized recently: waiting for new measurements");
  plan = plan_sizes(input, kNow + 1s);
  EXPECT_EQ(plan.resizes.size(), 1u);
}

TEST(SizingPlan, MoreMemoryDoesNotWait) {
  SizingInput input = calm();
  input.advice = around(200, 256);
  input.replicas[0].resized = kNow - 1s;
  ASSERT_EQ(plan_sizes(input, kNow).resizes.size(), 1u);
}

TEST(SizingPlan, AReplicaThatLeavesIsLeftAlone) {
  SizingInput input = calm();
  input.advice = around(400, 512);
  input.replicas[0].is_leaving = true;
  EXPECT_TRUE(plan_sizes(input, kNow).resizes.empty());
}

TEST(SizingPlan, ASizeInWords) {
  EXPECT_EQ(to_string(size(250, 64, 128)), "cpu 250m, memory 64Mi, limit 128Mi");
  EXPECT_EQ(to_string(ReplicaSize{}), "not governed");
}

SizingInput arbitrary_input() {
  SizingInput input = calm();
  const auto mib = [] { return *rc::gen::inRange(1, 4096); };
  input.advice = around(*rc::gen::inRange(1, 4000), mib());
  input.scaling = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  SizedReplica& replica = input.replicas[0];
  replica.size = size(*rc::gen::inRange(1, 4000), mib(), mib());
  replica.is_down = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) replica.memory_use.reset();
  return input;
}

RC_GTEST_PROP(SizingPlan, NeverTakesMemoryInPanicNorBelowUseAndAFifth, ()) {
  const SizingInput input = arbitrary_input();
  const SizedReplica& before = input.replicas[0];
  const SizingPlan plan = plan_sizes(input, kNow);
  if (plan.resizes.empty()) return;
  const ReplicaSize& after = plan.resizes[0].size;
  RC_ASSERT(*after.memory_limit >= *after.memory);
  if (before.memory_use) {
    RC_ASSERT(static_cast<double>(after.memory_limit->value) >=
              kLimitOverUse * static_cast<double>(before.memory_use->value));
  }
  if (input.scaling.is_panic || input.scaling.is_growing) {
    RC_ASSERT(before.is_down);
    RC_ASSERT(*after.memory >= *before.size.memory);
    RC_ASSERT(*after.memory_limit >= *before.size.memory_limit);
  }
}

RC_GTEST_PROP(SizingPlan, WhatItAskedForIsEnoughTheNextTime, ()) {
  SizingInput input = arbitrary_input();
  const SizingPlan plan = plan_sizes(input, kNow);
  if (plan.resizes.empty()) return;
  input.replicas[0].size = plan.resizes[0].size;
  RC_ASSERT(plan_sizes(input, kNow).resizes.empty());
}

}  // namespace
}  // namespace bellows::recommender
