#include "recommender/score/scorecard.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/score/made_up.hpp"

namespace bellows::recommender::score {
namespace {

using namespace std::chrono_literals;

Score of(const Workload& workload) {
  return score(workload, simulate_unchanged(workload));
}

TEST(Score, SlackOfAConstantIsWhatItDoesNotUse) {
  // 1 core of 4 and 512 MiB of 2 GiB, for two hours.
  const Score got = of(constant(1min, 120, {1, 512 * kMiB}, request(4000, 2048)));
  EXPECT_NEAR(got.cpu.slack_share(), 0.75, 1e-12);
  EXPECT_NEAR(got.cpu.slack, 6, 1e-9) << "core-hours";
  EXPECT_NEAR(got.memory.slack_share(), 0.75, 1e-12);
  EXPECT_NEAR(got.memory.slack, 3, 1e-9) << "GiB-hours";
  EXPECT_NEAR(got.slack_share(), 0.75, 1e-12);
  EXPECT_EQ(got.ooms, 0U);
  EXPECT_DOUBLE_EQ(got.oom_free_share(), 1);
  EXPECT_DOUBLE_EQ(got.days, 2. / 24);
}

TEST(Score, UsageBeyondTheRequestIsADeficitAndNoNegativeSlack) {
  // 1 core asked for; half of the time 1.5 are used, half 0.5.
  const Score got = of(synthetic(1min, {{1.5, kMiB}, {0.5, kMiB}}, request(1000, 256)));
  EXPECT_DOUBLE_EQ(got.cpu.under_share(), 0.5);
  EXPECT_DOUBLE_EQ(got.cpu.deficit_share(), 0.25);
  EXPECT_DOUBLE_EQ(got.cpu.slack_share(), 0.25);
  EXPECT_DOUBLE_EQ(got.throttled_share(), 0) << "below the limit, twice the request";
}

TEST(Score, WorkAboveTheLimitIsThrottledMinuteByMinute) {
  // Of 4 cores in the one minute and 1 in the other the limit of 2 lets 2 and 1 through.
  const Score got =
      of(synthetic(30s, {{4, kMiB}, {4, kMiB}, {1, kMiB}, {1, kMiB}}, request(1000, 1)));
  EXPECT_DOUBLE_EQ(got.throttled_share(), 0.4);
  EXPECT_DOUBLE_EQ(got.throttle_p99, 0.5);
}

TEST(Score, CountsKillsRowsDaysAndTheTimeToEscape) {
  std::vector<Demand> demands(24 * 60 * 2, {0.1, 100 * kMiB});
  demands[10].memory_bytes = 300 * kMiB;  // killed at 600, 620 and 650 s, back at 700 s
  demands[100].memory_bytes = 300 * kMiB;
  const Score got = of(synthetic(1min, demands, request(100, 256)));
  EXPECT_EQ(got.ooms, 6U);
  EXPECT_DOUBLE_EQ(got.ooms_per_day(), 3);
  EXPECT_EQ(got.longest_oom_streak, 3U);
  EXPECT_EQ(got.oom_recovery, 100s);
  EXPECT_EQ(got.downtime, 200s);
  EXPECT_DOUBLE_EQ(got.oom_free_share(), 0.5) << "the second day had none";
}

TEST(Score, ACrashIsNoOomKill) {
  Workload workload = constant(1min, 5, {0.1, kMiB}, request(100, 256));
  workload.crashing = {{1, 2}};
  const Score got = of(workload);
  EXPECT_EQ(got.ooms, 0U);
  EXPECT_EQ(got.crashes, 3U);
}

TEST(Score, TimeInWhichNobodyWantsAContainerCostsNothing) {
  Workload workload = constant(1min, 10, {1, 256 * kMiB}, request(2000, 512));
  workload.lifetimes = {{0, 1}, {5, 6}};
  const Score got = of(workload);
  EXPECT_NEAR(got.cpu.requested, 2. * 2 / 60, 1e-12);
  EXPECT_EQ(got.downtime, 0s);
}

TEST(Score, ConvergenceEndsWithTheLastStepBeforeTheFinalValue) {
  Workload workload = constant(1h, 12, {1, kMiB}, request(1000, 256));
  workload.demand_changes = {{2, true}, {7, false}};
  // Requests: 1 | 2 (hours 2 to 4) | 3 from hour 4 on | 1 from hour 9 on.
  std::vector<Request> requests;
  for (const int cores : {1, 1, 2, 2, 3, 3, 3, 3, 3, 1, 1, 1}) {
    requests.push_back(request(cores * 1000, 256));
  }
  Schedule schedule(requests, 1h);
  const Score got = score(workload, simulate(workload, schedule, {}));
  EXPECT_EQ(got.cpu.settles_up, std::optional<Duration>(2h));
  EXPECT_EQ(got.cpu.settles_down, std::optional<Duration>(2h));
  EXPECT_FALSE(got.memory.settles_up) << "it did not answer";
  EXPECT_EQ(got.changes, 3U);
  EXPECT_DOUBLE_EQ(got.cpu.overshoot(), 2);
}

TEST(Score, SumsAreWeightedByRequestHours) {
  Score sum = of(constant(1min, 60, {1, kMiB}, request(2000, 1)));
  sum.add(of(constant(1min, 60, {0, kMiB}, request(8000, 1))));
  EXPECT_DOUBLE_EQ(sum.cpu.slack_share(), 0.9);
  EXPECT_DOUBLE_EQ(sum.days, 2. / 24);
}

TEST(Score, OneDominatesWhoIsNowhereBetter) {
  Score good;
  good.days = 1;
  Score more_kills = good;
  more_kills.ooms = 1;
  EXPECT_TRUE(dominates(good, more_kills));
  EXPECT_FALSE(dominates(more_kills, good));
  EXPECT_FALSE(dominates(good, good)) << "equals stand side by side";
  good.changes = 1;
  EXPECT_FALSE(dominates(good, more_kills)) << "a trade is no domination";
}

TEST(Score, TheCostIsTheSumOfItsPrices) {
  Score got;
  got.days = 2;
  got.ooms = 2;
  got.changes = 20;
  got.wanted_work = 10;
  got.throttled_work = 1;
  got.cpu.requested = got.memory.requested = 1;
  got.cpu.slack = 0.5;
  EXPECT_DOUBLE_EQ(cost(got), 0.25 + 0.5 * 1 + 2 * 0.1 + 0.01 * 10);
}

}  // namespace
}  // namespace bellows::recommender::score
