// The worked examples of the spike rule, with the number each has in its list: usage, request and
// local maximum of both resources in, target out, by the rule alone and with VPA's margin of 15 %.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

struct Input {
  double usage;
  double request;
  double maximum;
};
enum class Lives : std::uint8_t { kWell, kCrashLoop, kThreeCrashes };

/// CPU in millicores, memory in MiB. A resource on hold keeps its request.
struct Example {
  const char* scenario;
  Lives lives;
  Input cpu;
  Input memory;
  Rule cpu_rule;
  double cpu_target;
  Rule memory_rule;
  double memory_target;
  double cpu_with_margin;
  double memory_with_margin;
};

class WorkedExample : public testing::TestWithParam<Example> {
 protected:
  /// In a window that begins with the maximum, the usage a minute later. The window before it is
  /// the one that has to be watched before anything falls.
  static void live(Scene& scene, const Example& example) {
    const double mebi = static_cast<double>(kMi);
    scene.request(0, std::llround(example.cpu.request),
                  static_cast<std::int64_t>(example.memory.request * mebi));
    for (const double at : {0., 30 * kMinute, 31 * kMinute}) {
      const bool is_last = at > 30 * kMinute;
      scene.cpu(at, is_last ? example.cpu.usage : example.cpu.maximum);
      scene.memory(at, (is_last ? example.memory.usage : example.memory.maximum) * mebi);
    }
    if (example.lives == Lives::kCrashLoop) scene.event(31 * kMinute, CrashLoop{true});
    const int crashes = example.lives == Lives::kThreeCrashes ? 3 : 0;
    for (int i = 0; i < crashes; ++i) scene.event(31 * kMinute + i, Crashed{});
  }
  static void expect(const Recommendation& recommendation, double cpu, double memory) {
    const bool is_nothing = cpu == 0 && memory == 0;
    ASSERT_EQ(recommendation.sizes.has_value(), !is_nothing);
    if (is_nothing) return;
    EXPECT_EQ(recommendation.sizes->target.cpu->value, static_cast<std::int64_t>(cpu));
    EXPECT_EQ(recommendation.sizes->target.memory->value,
              static_cast<std::int64_t>(memory * static_cast<double>(kMi)));
  }
};

TEST_P(WorkedExample, GetsItsTarget) {
  const Example& example = GetParam();
  Scene scene(RecommenderPolicy::kSpike);
  live(scene, example);
  const Recommendation recommendation = scene.recommend(32 * kMinute);
  EXPECT_EQ(recommendation.cpu.rule, example.cpu_rule);
  EXPECT_EQ(recommendation.memory.rule, example.memory_rule);
  expect(recommendation, example.cpu_target, example.memory_target);
}

TEST_P(WorkedExample, GetsTheMarginIfSet) {
  const Example& example = GetParam();
  WorkloadSettings settings;
  settings.settings.spike.margin_fraction = 0.15;
  Scene scene(RecommenderPolicy::kSpike, settings);
  live(scene, example);
  expect(scene.recommend(32 * kMinute), example.cpu_with_margin, example.memory_with_margin);
}

constexpr Lives kWell = Lives::kWell;
constexpr Lives kLoop = Lives::kCrashLoop;
constexpr Rule kUp = Rule::kScaleUp;
constexpr Rule kDown = Rule::kScaleDown;
constexpr Rule kHold = Rule::kHold;
constexpr Rule kCrash = Rule::kCrash;

// clang-format off
INSTANTIATE_TEST_SUITE_P(Proposal, WorkedExample, testing::Values(
    //       scenario                 lives   cpu u/r/M        memory u/r/M            cpu          memory         with margin
    Example{"CpuUpMemoryHeld_1",      kWell, {450, 500, 450}, {400, 1024, 400},       kUp, 900,    kHold, 1024,   1035, 1024},
    Example{"BothHeld_2",             kWell, {250, 500, 300}, {500, 1024, 600},       kHold, 0,    kHold, 0,      0, 0},
    Example{"EqualityIsHeld_3",       kWell, {350, 500, 350}, {500, 1024, 600},       kHold, 0,    kHold, 0,      0, 0},
    Example{"TheMaximumHolds_5",      kWell, {20, 500, 200},  {100, 2048, 900},       kHold, 0,    kHold, 0,      0, 0},
    Example{"CrashLoopWithoutUse_7",  kLoop, {0, 100, 0},     {0, 200, 0},            kCrash, 200, kCrash, 400,   230, 460},
    Example{"CrashLoopWithUse_8",     kLoop, {600, 500, 600}, {20480, 16384, 20480},  kCrash, 1200, kCrash, 40960, 1380, 47104},
    Example{"NoUseFallsToTheLeast_9", kWell, {0, 100, 0},     {100, 200, 100},        kDown, 25,   kHold, 200,    25, 200},
    Example{"AtItsRequest_10",        kWell, {22, 11, 22},    {137.9, 137.9, 137.9},  kUp, 44,     kUp, 275.8,    50, 317.17},
    Example{"NoRequest_12",           kWell, {5, 0, 5},       {64, 0, 64},            kUp, 25,     kUp, 250,      25, 250},
    Example{"ThreeCrashes_14", Lives::kThreeCrashes, {100, 500, 100}, {50, 256, 50},  kCrash, 1000, kCrash, 512,  1150, 588.8}),
    scenario_of<Example>);
// clang-format on

TEST(WorkedExampleWithBounds, HasHalfAndTwiceTheTarget) {  // 1
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 1024 * kMi);
  scene.cpu(0, 450);
  scene.memory(0, static_cast<double>(400 * kMi));
  const Sizes sizes = *scene.recommend(1).sizes;
  EXPECT_EQ(sizes.target, (Amounts{Millicores{900}, Bytes{1024 * kMi}}));
  EXPECT_EQ(sizes.lower_bound.cpu, Millicores{450});
  EXPECT_EQ(sizes.upper_bound.cpu, Millicores{1800});
}

/// A steady load of 100m that was given 1000m; each answer is applied.
struct SteadyLoad {
  const char* scenario;
  double safety_factor;
  double margin;
  std::vector<std::int64_t> answers;  ///< the last one stands for ever
};
class SteadyLowLoad : public testing::TestWithParam<SteadyLoad> {};

TEST_P(SteadyLowLoad, GetsTheseTargetsInSequence) {
  const SteadyLoad& row = GetParam();
  WorkloadSettings settings;
  settings.settings.spike.scale_down_safety_factor = row.safety_factor;
  settings.settings.spike.margin_fraction = row.margin;
  Scene scene(RecommenderPolicy::kSpike, settings);
  scene.request(0, 1000, 0);
  std::vector<std::int64_t> answers;
  for (double at = 0; at < 6 * kHour; at += kMinute) {
    scene.cpu(at, 100);
    const std::int64_t target = scene.cpu_target(at);
    if (at < 30 * kMinute) {
      EXPECT_EQ(target, 0) << "not before it was watched for a whole window";
    }
    if (target == 0 || (!answers.empty() && answers.back() == target)) continue;
    answers.push_back(target);
    scene.request(at, target, 0);
  }
  EXPECT_EQ(answers, row.answers);
}

INSTANTIATE_TEST_SUITE_P(Proposal, SteadyLowLoad,
                         testing::Values(SteadyLoad{"FlapsOnce_15", 1.2, 0, {120, 200}},
                                         SteadyLoad{
                                             "FlapsOnceWithMargin_15", 1.2, 0.15, {138, 230}},
                                         SteadyLoad{"OneChange_16", 1.45, 0, {145}}),
                         scenario_of<SteadyLoad>);

TEST(LoadThatDoublesEveryMinute, IsNeverAboveItsRequestIn16Raises) {  // 18
  Scene scene(RecommenderPolicy::kSpike);
  std::int64_t request = 200;
  scene.request(0, request, 0);
  int raises = 0;
  double usage = 100;
  for (int minute = 0; minute < 17; ++minute, usage *= 2) {
    EXPECT_LE(usage, static_cast<double>(request)) << minute;
    scene.cpu(minute * kMinute, usage);
    const std::int64_t target = scene.cpu_target(minute * kMinute);
    if (target == 0 || target == request) continue;
    request = target;
    ++raises;
    scene.request(minute * kMinute, request, 0);
  }
  EXPECT_EQ(raises, 16);
}

}  // namespace
}  // namespace bellows::recommender
