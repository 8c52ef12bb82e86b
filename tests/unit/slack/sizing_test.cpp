// The sizes and counts of docs/slack.md, to the digit.
#include "slack/core/sizing.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

Standard sized(const Average& average, std::int64_t rate_millionths, std::int64_t granularity = 5,
               std::span<const NodeType> types = {}) {
  return standard_placeholder({.average = average,
                               .granularity = granularity,
                               .rate = {rate_millionths},
                               .base = average.total,
                               .types = types});
}

TEST(VersionOne, TenEqualNodesNeedFiveFifthsOfANode) {
  const Average average{amount(40000, 160 * kGi, 0), 10};
  EXPECT_EQ(extra_capacity({100000}, average.total), amount(4000, 16 * kGi, 0));
  const Standard standard = sized(average, 100000);
  EXPECT_EQ(standard.count, 5);
  EXPECT_EQ(standard.size, amount(800, 16 * kGi / 5));
}

TEST(VersionOne, SevenNodesRoundUp) {
  const Standard standard = sized({amount(28000, 112 * kGi, 0), 7}, 100000);
  EXPECT_EQ(standard.count, 4);  // 3.5
  EXPECT_EQ(standard.size * 4, amount(3200, 4 * (16 * kGi / 5), 4));
}

TEST(VersionOne, OneNodeKeepsAFifth) {
  const Standard standard = sized({amount(4000, 16 * kGi, 0), 1}, 100000);
  EXPECT_EQ(standard.count, 1);
  EXPECT_EQ(standard.size, amount(800, 16 * kGi / 5));
}

TEST(VersionOne, MixedNodesUseTheirAverage) {
  const Average average{amount(6 * 4000 + 2 * 16000, (6 * 16 + 2 * 64) * kGi, 0), 8};
  const Standard standard = sized(average, 100000);
  EXPECT_EQ(standard.size, amount(1400, 28 * kGi / 5));
  EXPECT_EQ(standard.count, 4);
}

TEST(VersionOne, FiveThousandNodesNeedTwentyFiveHundredParts) {
  const Average average{amount(80'000'000, 320'000 * kGi, 0), 5000};
  EXPECT_EQ(extra_capacity({100000}, average.total), amount(8'000'000, 32'000 * kGi, 0));
  const Standard standard = sized(average, 100000);
  EXPECT_EQ(standard.count, 2500);
  EXPECT_EQ(standard.size, amount(3200, 64 * kGi / 5));
}

TEST(VersionOne, EveryRateAndNumberOfNodesCountsExactly) {
  for (std::int64_t nodes = 1; nodes <= 60; ++nodes) {
    for (std::int64_t rate = 0; rate < 1000; rate += 7) {
      const Average average{amount(3999 * nodes, 7'000'000'001 * nodes, 0), nodes};
      // ceil(rate * n * g) in whole numbers.
      const std::int64_t want = (rate * nodes * 5 + 999) / 1000;
      ASSERT_EQ(sized(average, rate * 1000).count, want) << rate << " of " << nodes;
    }
  }
}

TEST(VersionOne, APartThatFitsNoTypeIsCutToTheOneThatTakesMostOfIt) {
  // E6: 64 cores with 4 GiB and 2 cores with 256 GiB.
  const std::array types = {node_type("cpu", amount(64000, 4 * kGi, 110)),
                            node_type("memory", amount(2000, 256 * kGi, 110))};
  const Standard standard = sized({amount(66000, 260 * kGi, 0), 2}, 100000, 5, types);
  EXPECT_EQ(standard.size, amount(2000, 26 * kGi));
  EXPECT_EQ(standard.count, 4);  // 6600m by 2000m
}

TEST(VersionOne, NoNodeMeansNoPlaceholder) {
  EXPECT_EQ(sized({}, 100000), Standard{});
}

TEST(VersionTwo, WhatTheBigPodsLeaveIsNeverNegative) {
  StandardInput input{.average = {amount(40000, 160 * kGi, 0), 10}, .rate = {100000}};
  input.base = input.average.total;
  input.taken = amount(3500, 2 * kGi) + amount(500, 14 * kGi);
  EXPECT_EQ(standard_placeholder(input).count, 0);
  // 4 GiB are left of 16 and no CPU: two parts of 3.2.
  input.taken = amount(9000, 12 * kGi);
  EXPECT_EQ(standard_placeholder(input).count, 2);
}

TEST(VersionTwo, APlaceholderIsNoLargerThanTheBiggestPod) {
  StandardInput input{.average = {amount(40000, 160 * kGi, 0), 10}, .rate = {100000}};
  input.base = input.average.total;
  input.biggest = amount(250, 64 * kGi);
  const Standard standard = standard_placeholder(input);
  EXPECT_EQ(standard.size, amount(250, 16 * kGi / 5));
  EXPECT_EQ(standard.count, 16);  // 4000m by 250m
}

TEST(Average, ChangesUpToATenthKeepTheSize) {
  const Average kept{amount(40000, 160 * kGi, 0), 10};
  EXPECT_FALSE(is_outgrown(kept, {amount(44000, 176 * kGi, 0), 11}));
  EXPECT_FALSE(is_outgrown(kept, {amount(44000, 160 * kGi, 0), 10}));
  EXPECT_TRUE(is_outgrown(kept, {amount(44001, 160 * kGi, 0), 10}));
  EXPECT_TRUE(is_outgrown(kept, {amount(40000, 143 * kGi, 0), 10}));
}

}  // namespace
}  // namespace bellows::slack
