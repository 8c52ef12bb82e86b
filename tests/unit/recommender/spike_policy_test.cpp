// The spike rule: the worked examples of the proposal, and stories.
#include "recommender/core/spike_policy.hpp"

#include <gtest/gtest.h>

#include "recommender/core/spike_rule.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;
using config::SpikeSettings;

/// One resource: usage, request, maximum; the target, or 0 for no scale.
struct Example {
  const char* name;
  double usage;
  double request;
  double maximum;
  Rule rule;
  double target;
};

class WorkedExample : public testing::TestWithParam<Example> {};

TEST_P(WorkedExample, GetsItsTarget) {
  const Example& example = GetParam();
  const SpikeVerdict verdict =
      spike_rule({.usage = example.usage, .request = example.request, .maximum = example.maximum},
                 SpikeSettings());
  EXPECT_EQ(verdict.rule, example.rule) << example.name;
  EXPECT_DOUBLE_EQ(verdict.target.value_or(0), example.target) << example.name;
}

INSTANTIATE_TEST_SUITE_P(
    Proposal, WorkedExample,
    testing::Values(Example{"1 cpu", 450, 500, 450, Rule::kScaleUp, 900},
                    Example{"1 memory", 400, 1024, 400, Rule::kHold, 0},
                    Example{"2 cpu", 250, 500, 300, Rule::kHold, 0},
                    Example{"2 memory", 500, 1024, 600, Rule::kHold, 0},
                    Example{"3 cpu: equality is no scale", 350, 500, 350, Rule::kHold, 0},
                    Example{"5 cpu: the maximum holds it", 20, 500, 200, Rule::kHold, 0},
                    Example{"5 memory", 100, 2048, 900, Rule::kHold, 0},
                    Example{"9 cpu: down to the minimum", 0, 100, 0, Rule::kScaleDown, 0},
                    Example{"9 memory", 100, 200, 100, Rule::kHold, 0},
                    Example{"10 cpu", 22, 11, 22, Rule::kScaleUp, 44},
                    Example{"10 memory", 137.9, 137.9, 137.9, Rule::kScaleUp, 275.8},
                    Example{"12 cpu: no request, no thresholds", 5, 0, 5, Rule::kScaleUp, 10},
                    Example{"12 memory", 64, 0, 64, Rule::kScaleUp, 128}));

TEST(CrashRuleOfSpike, DoublesTheGreaterOfUsageAndRequest) {
  const auto doubled = [](double usage, double request) {
    return spike_rule({.usage = usage, .request = request, .maximum = usage, .is_crash = true},
                      SpikeSettings())
        .target.value_or(0);
  };
  EXPECT_EQ(doubled(0, 100), 200);     // 7
  EXPECT_EQ(doubled(600, 500), 1200);  // 8, the proposal's own case
  EXPECT_EQ(doubled(20e9, 16e9), 40e9);
  EXPECT_EQ(doubled(100, 500), 1000);  // 14
}

TEST(SpikePolicy, SaysNothingUntilARuleFires) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 1024 * kMi);
  scene.cpu(0, 250);
  scene.memory(0, 500 * kMi);
  const Recommendation nothing = scene.recommend(1);
  EXPECT_FALSE(nothing.sizes.has_value());
  EXPECT_EQ(nothing.cpu.rule, Rule::kHold);
}

TEST(SpikePolicy, TakesBoundsFromTheTargetAndLeavesTheOtherResourceAsItIs) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 1024 * kMi);
  scene.cpu(0, 450);
  scene.memory(0, 400 * kMi);
  const Recommendation up = scene.recommend(1);
  ASSERT_TRUE(up.sizes.has_value());
  EXPECT_EQ(up.sizes->target, (Amounts{Millicores{900}, Bytes{1024 * kMi}}));
  EXPECT_EQ(up.sizes->lower_bound.cpu, Millicores{450});
  EXPECT_EQ(up.sizes->upper_bound.cpu, Millicores{1800});
}

TEST(SpikePolicy, FlapsAsTheProposalMustWhenASteadyLoadIsLow) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 1000, 0);
  for (double at = 0; at < 30 * kMinute; at += kMinute) {
    scene.cpu(at, 100);
    EXPECT_EQ(scene.cpu_target(at), 0) << "not before it was watched for a whole window";
  }
  scene.cpu(30 * kMinute, 100);
  EXPECT_EQ(scene.cpu_target(30 * kMinute), 120);
  scene.request(31 * kMinute, 120, 0);
  scene.cpu(31 * kMinute, 100);
  EXPECT_EQ(scene.cpu_target(31 * kMinute), 200);
  scene.request(32 * kMinute, 200, 0);
  for (double at = 32 * kMinute; at < 3 * kHour; at += kMinute) {
    scene.cpu(at, 100);
    EXPECT_EQ(scene.cpu_target(at), 200);
  }
}

TEST(SpikePolicy, ChangesOnceWhereTheSafetyFactorIsStable) {
  WorkloadSettings settings;
  settings.settings.spike.scale_down_safety_factor = 1.45;
  Scene scene(RecommenderPolicy::kSpike, settings);
  scene.request(0, 1000, 0);
  for (double at = 0; at <= 30 * kMinute; at += kMinute) scene.cpu(at, 100);
  EXPECT_EQ(scene.cpu_target(30 * kMinute), 145);
  scene.request(31 * kMinute, 145, 0);
  scene.cpu(31 * kMinute, 100);
  EXPECT_EQ(scene.cpu_target(31 * kMinute), 145);
}

TEST(SpikePolicy, NeverLetsAnExponentialLoadPastTheRequest) {
  Scene scene(RecommenderPolicy::kSpike);
  std::int64_t request = 200;
  scene.request(0, request, 0);
  double usage = 100;
  for (int minute = 0; minute < 17; ++minute, usage *= 2) {
    EXPECT_LE(usage, static_cast<double>(request)) << minute;
    scene.cpu(minute * kMinute, usage);
    if (const auto target = scene.cpu_target(minute * kMinute); target != 0) request = target;
    scene.request(minute * kMinute, request, 0);
  }
}

TEST(SpikePolicy, DoublesOncePerAppliedAnswerWhileTheCrashLoopLasts) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 100, 400 * kMi);
  scene.event(1, CrashLoop{true});
  EXPECT_EQ(scene.cpu_target(2), 200);
  EXPECT_EQ(scene.cpu_target(3), 200) << "the answer is not applied yet";
  scene.request(4, 200, 800 * kMi);
  EXPECT_EQ(scene.cpu_target(5), 400);
  scene.event(6, CrashLoop{false});
  scene.request(7, 400, 1600 * kMi);
  EXPECT_EQ(scene.cpu_target(8), 400) << "healed: nothing doubles any more";
}

TEST(SpikePolicy, DoublesAtTheThirdCrash) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 256 * kMi);
  scene.cpu(0, 200);
  scene.memory(0, 100 * kMi);
  scene.event(1, Crashed{});
  scene.event(2, Crashed{});
  EXPECT_EQ(scene.cpu_target(2), 0);
  scene.event(3, Crashed{});
  EXPECT_EQ(scene.cpu_target(3), 1000);
  EXPECT_EQ(scene.memory_target(3), 512 * kMi);
}

/// OOM kills it takes until `peak` MiB fit, each answer applied.
int kills_to_survive(RecommenderPolicy policy, double peak) {
  Scene scene(policy);
  std::int64_t has = 250 * kMi;
  scene.request(0, 100, has);
  int kills = 0;
  for (double at = kHour; static_cast<double>(has) < peak * static_cast<double>(kMi); at += 60) {
    scene.event(at, OomKilled{Bytes{has}});
    ++kills;
    has = scene.memory_target(at);
    scene.request(at, 100, has);
  }
  return kills;
}

TEST(OomLadder, NeedsFewerKillsWhereMemoryDoubles) {
  for (const auto policy : {RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid}) {
    EXPECT_LE(kills_to_survive(policy, 600), 2);
    EXPECT_LE(kills_to_survive(policy, 1500), 3);
    EXPECT_LE(kills_to_survive(policy, 4000), 4);
    EXPECT_LE(kills_to_survive(policy, 20000), 7);
  }
  EXPECT_EQ(kills_to_survive(RecommenderPolicy::kSpike, 20000), 7);
}

TEST(OomLadder, NeedsAsManyKillsAsVpaNeedsUnderVpa) {
  EXPECT_EQ(kills_to_survive(RecommenderPolicy::kVpa, 600), 2);
  EXPECT_EQ(kills_to_survive(RecommenderPolicy::kVpa, 1500), 5);
  EXPECT_EQ(kills_to_survive(RecommenderPolicy::kVpa, 4000), 8);
  EXPECT_EQ(kills_to_survive(RecommenderPolicy::kVpa, 20000), 12);
}

TEST(SpikePolicy, TakesTheHighestOfTheReplicas) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 0);
  const InstanceId other = scene.policy().enter(PodName("b"), ContainerName("app"), replay_time(0));
  scene.cpu(1, 450);
  ASSERT_TRUE(scene.policy().record(other, Usage{replay_time(1), Resource::kCpu, 0.1}));
  EXPECT_EQ(scene.cpu_target(2), 900);
}

TEST(SpikePolicy, KeepsItsStateOverARestartInTheMiddle) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 1000, 0);
  for (double at = 0; at < 20 * kMinute; at += kMinute) scene.cpu(at, 100);
  scene.restart(20 * kMinute);
  for (double at = 20 * kMinute; at <= 30 * kMinute; at += kMinute) scene.cpu(at, 100);
  EXPECT_EQ(scene.cpu_target(30 * kMinute), 120);
}

}  // namespace
}  // namespace bellows::recommender
