#include "recommender/score/simulation.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "recommender/core/policy.hpp"
#include "tests/unit/recommender/score/made_up.hpp"

namespace bellows::recommender::score {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Policy> policy(config::RecommenderPolicy which) {
  auto settings = std::make_shared<WorkloadSettings>();
  settings->settings.policy = which;
  return make_policy(std::shared_ptr<const WorkloadSettings>(std::move(settings)));
}

std::vector<Duration> death_times(const Timeline& timeline) {
  std::vector<Duration> times;
  for (const Death& death : timeline.deaths) times.push_back(death.at);
  return times;
}

TEST(Simulation, MemoryAboveTheLimitIsKilledAgainAfterEachBackOff) {
  // Back-offs of 10, 20, 40, 80, 160, 300 s, and 10 s for each start.
  const Timeline timeline =
      simulate_unchanged(constant(1min, 12, {0.1, 300 * kMiB}, request(100, 256)));
  EXPECT_EQ(death_times(timeline), (std::vector<Duration>{0s, 20s, 50s, 100s, 190s, 360s, 670s}));
  EXPECT_EQ(timeline.deaths.back().streak, 7U);
  EXPECT_EQ(timeline.deaths.back().back, 980s);
}

TEST(Simulation, TenMinutesOfRunningResetTheBackOff) {
  std::vector<Demand> demands(15, {0.1, 100 * kMiB});
  demands[0].memory_bytes = demands[14].memory_bytes = 300 * kMiB;
  demands[2].memory_bytes = 300 * kMiB;
  const Timeline timeline = simulate_unchanged(synthetic(1min, demands, request(100, 256)));
  ASSERT_EQ(death_times(timeline), (std::vector<Duration>{0s, 20s, 50s, 120s, 840s, 860s, 890s}));
  EXPECT_EQ(timeline.deaths[3].streak, 4U) << "ran for 20 s only";
  EXPECT_EQ(timeline.deaths[4].streak, 1U) << "ran from 210 s on";
}

TEST(Simulation, AMinuteOfDowntimeHasNoSampleAndAPartialOneCountsInPart) {
  std::vector<Demand> demands(4, {0.1, 100 * kMiB});
  demands[1].memory_bytes = 300 * kMiB;  // killed at 60, 80 and 110 s; up again at 160 s
  ConstantSizer sizer;
  const Timeline timeline = simulate(synthetic(1min, demands, request(100, 256)), sizer, {});
  EXPECT_DOUBLE_EQ(timeline.steps[0].alive, 1);
  EXPECT_DOUBLE_EQ(timeline.steps[1].alive, 0);
  EXPECT_DOUBLE_EQ(timeline.steps[2].alive, 20. / 60);
  EXPECT_DOUBLE_EQ(timeline.steps[3].alive, 1);
  std::vector<Duration> sampled;
  for (const Usage& usage : sizer.usages) {
    if (usage.resource == Resource::kCpu) sampled.push_back(usage.at - kReplayEpoch);
  }
  EXPECT_EQ(sampled, (std::vector<Duration>{60s, 180s, 240s}));
}

TEST(Simulation, AKillIsReportedAsOomAndCrashAndFromTheSecondOnAsCrashLoop) {
  ConstantSizer sizer;
  simulate(constant(10s, 4, {0.1, 300 * kMiB}, request(100, 256)), sizer, {});
  const auto at = [](Duration since) { return kReplayEpoch + since; };
  EXPECT_EQ(sizer.recorded, (std::vector<ConstantSizer::Recorded>{{"life", at(0s)},
                                                                  {"oom", at(0s)},
                                                                  {"crash", at(0s)},
                                                                  {"start", at(20s)},
                                                                  {"oom", at(20s)},
                                                                  {"crash", at(20s)},
                                                                  {"loop", at(20s)},
                                                                  {"end", at(40s)}}));
}

TEST(Simulation, AFaultyReleaseCrashesWithAnySize) {
  Workload workload = constant(1min, 4, {0.1, 100 * kMiB}, request(100, 256));
  workload.crashing = {{1, 2}};
  const Timeline timeline = simulate_unchanged(workload);
  EXPECT_EQ(death_times(timeline), (std::vector<Duration>{60s, 80s, 110s}));
  EXPECT_FALSE(timeline.deaths.front().is_oom);
}

TEST(Simulation, WorkAboveTheCpuLimitWaitsAndIsDoneLater) {
  const Timeline timeline = simulate_unchanged(
      synthetic(1min, {{3, kMiB}, {0.5, kMiB}, {0.5, kMiB}}, request(1000, 256)));
  EXPECT_DOUBLE_EQ(timeline.steps[0].used.cpu_cores, 2);  // the limit is twice the request
  EXPECT_DOUBLE_EQ(timeline.steps[1].used.cpu_cores, 1.5);
  EXPECT_DOUBLE_EQ(timeline.steps[2].used.cpu_cores, 0.5);
}

TEST(Simulation, WorkThatWaitedAMinuteIsDropped) {
  const Timeline timeline = simulate_unchanged(
      synthetic(1min, {{6, kMiB}, {3, kMiB}, {0, kMiB}, {0, kMiB}, {0, kMiB}}, request(1000, 256)));
  // Of the second minute's 3 core-minutes and what waited only 3 may go on waiting.
  EXPECT_DOUBLE_EQ(timeline.steps[2].used.cpu_cores, 2);
  EXPECT_DOUBLE_EQ(timeline.steps[3].used.cpu_cores, 0);
}

TEST(Simulation, ALeakRestartsWithEachLifetime) {
  Workload workload = constant(1min, 6, {0.1, 100 * kMiB}, request(100, 256));
  for (int age = 0; age < 6; ++age) workload.by_age.push_back({0, 40 * kMiB * age});
  workload.lifetimes = {{0, 3}, {4, 6}};
  ConstantSizer sizer;
  const Timeline timeline = simulate(workload, sizer, {});
  EXPECT_TRUE(timeline.deaths.empty());
  EXPECT_FALSE(timeline.steps[3].is_scheduled);
  EXPECT_EQ(timeline.steps[2].used.memory_bytes, 180 * kMiB);
  EXPECT_EQ(timeline.steps[4].used.memory_bytes, 100 * kMiB);
  EXPECT_EQ(sizer.recorded[4].what, "end");
  EXPECT_EQ(sizer.recorded[5], (ConstantSizer::Recorded{"life", kReplayEpoch + 4min, 1}));
}

TEST(Simulation, NoRequestIsGreaterThanTheNode) {
  const Workload workload = constant(1min, 3, {0.1, kMiB}, request(100, 256));
  Schedule greedy({request(1'000'000, 1'000'000)}, 1h);
  const Timeline timeline = simulate(workload, greedy, {});
  EXPECT_EQ(timeline.steps[2].request.cpu_cores, 16);
  EXPECT_EQ(timeline.steps[2].request.memory_bytes, 64 * kGiB);
  EXPECT_EQ(timeline.changes, 1U);
}

/// Answers with one target and bounds.
class Bounded final : public Sizer {
 public:
  explicit Bounded(Sizes sizes) : sizes_(sizes) {}
  void on_lifetime_begin(std::size_t, WallTime) override {}
  void on_lifetime_end(WallTime) override {}
  void on_request(const Request&, WallTime) override {}
  void on_usage(const Usage&) override {}
  void on_event(const Event&) override {}
  std::optional<Sizes> recommend(WallTime) override { return sizes_; }

 private:
  Sizes sizes_;
};

Sizes sizes(std::int64_t target, std::int64_t lower, std::int64_t upper) {
  const auto amounts = [](std::int64_t mebi) {
    return Amounts{.cpu = Millicores{100}, .memory = mebibytes(mebi)};
  };
  return {amounts(target), amounts(lower), amounts(upper), amounts(target)};
}

TEST(Simulation, TheUpdaterLeavesARequestBetweenTheBoundsAloneForTwelveHours) {
  const SimulationSettings settings{.apply = ApplyRule::kUpdater};
  const Workload workload = constant(1min, 13 * 60, {0.1, kMiB}, request(100, 256));
  Bounded sizer(sizes(300, 200, 400));
  const Timeline timeline = simulate(workload, sizer, settings);
  EXPECT_EQ(timeline.changes, 1U);
  EXPECT_EQ(timeline.steps[719].request.memory_bytes, 256 * kMiB);
  EXPECT_EQ(timeline.steps[720].request.memory_bytes, 300 * kMiB);
}

TEST(Simulation, TheUpdaterActsAtOnceOutsideTheBounds) {
  const SimulationSettings settings{.apply = ApplyRule::kUpdater};
  Bounded sizer(sizes(300, 257, 400));
  const Timeline timeline =
      simulate(constant(1min, 2, {0.1, kMiB}, request(100, 256)), sizer, settings);
  EXPECT_EQ(timeline.steps[1].request.memory_bytes, 300 * kMiB);
}

TEST(Simulation, TheUpperBoundMayBeTheLimit) {
  const SimulationSettings settings{.limit = LimitRule::kUpperBound};
  std::vector<Demand> demands(3, {0.1, 350 * kMiB});
  demands[0].memory_bytes = kMiB;
  Bounded sizer(sizes(300, 200, 400));
  const Timeline timeline = simulate(synthetic(1min, demands, request(100, 256)), sizer, settings);
  EXPECT_TRUE(timeline.deaths.empty());
  EXPECT_EQ(timeline.steps[1].limit.memory_bytes, 400 * kMiB);
}

/// Wants `peak` in the first ten seconds of every minute, so that each kill is answered before the
/// next try.
std::size_t kills_until_alive(std::int64_t peak, config::RecommenderPolicy which) {
  std::vector<Demand> demands;
  for (int step = 0; step < 6 * 60 * 3; ++step) {
    demands.push_back({0.01, step % 6 == 0 ? static_cast<double>(peak) * kMiB : kMiB});
  }
  PolicySizer sizer(policy(which));
  return simulate(synthetic(10s, demands, request(100, 250)), sizer, {}).deaths.size();
}

TEST(Simulation, TheOomLadderOfVpaIsAsLongAsItsBumpSays) {
  const auto vpa = config::RecommenderPolicy::kVpa;
  EXPECT_EQ(kills_until_alive(600, vpa), 2U);
  EXPECT_EQ(kills_until_alive(1500, vpa), 5U);
  EXPECT_EQ(kills_until_alive(4000, vpa), 8U);
  EXPECT_EQ(kills_until_alive(20000, vpa), 12U);
}

TEST(Simulation, HybridClimbsNoSlowerThanDoubling) {
  const auto hybrid = config::RecommenderPolicy::kHybrid;
  EXPECT_LE(kills_until_alive(600, hybrid), 2U);
  EXPECT_LE(kills_until_alive(1500, hybrid), 3U);
  EXPECT_LE(kills_until_alive(4000, hybrid), 4U);
  EXPECT_LE(kills_until_alive(20000, hybrid), 7U);
}

}  // namespace
}  // namespace bellows::recommender::score
