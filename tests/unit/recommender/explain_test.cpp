// What `recommender explain` prints ends in the numbers that are recommended.
#include <gtest/gtest.h>
// gtest first: rapidcheck's header builds on it.
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

/// The last numbers of one resource's lines "  target: ..." and so on; nothing: no such line.
struct LastNumbers {
  std::optional<double> target;
  std::optional<double> lower_bound;
  std::optional<double> upper_bound;
  std::optional<double> uncapped_target;
};

double last_number(const std::string& line) {
  return std::strtod(line.c_str() + line.rfind(' ', line.find_last_of("0123456789")), nullptr);
}

LastNumbers last_numbers(const std::vector<std::string>& lines, std::string_view resource) {
  LastNumbers last;
  bool is_within = false;
  for (const std::string& line : lines) {
    if (!line.starts_with("  ")) is_within = line.starts_with(std::string(resource) + ":");
    if (!is_within) continue;
    if (line.starts_with("  target: ")) last.target = last_number(line);
    if (line.starts_with("  lower bound: ")) last.lower_bound = last_number(line);
    if (line.starts_with("  upper bound: ")) last.upper_bound = last_number(line);
    if (line.starts_with("  uncapped target: ")) last.uncapped_target = last_number(line);
  }
  return last;
}

template <class Unit>
void expect_same(const std::optional<double>& printed, const std::optional<Unit>& recommended,
                 const std::string& what) {
  ASSERT_EQ(printed.has_value(), recommended.has_value()) << what;
  if (printed) {
    EXPECT_EQ(static_cast<std::int64_t>(*printed), recommended->value) << what;
  }
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void expect_ends_in(const std::vector<std::string>& lines, const Sizes& recommendation) {
  const LastNumbers cpu = last_numbers(lines, "cpu");
  const LastNumbers memory = last_numbers(lines, "memory");
  const std::string text = text_of(lines);
  expect_same(cpu.target, recommendation.target.cpu, text);
  expect_same(cpu.lower_bound, recommendation.lower_bound.cpu, text);
  expect_same(cpu.upper_bound, recommendation.upper_bound.cpu, text);
  expect_same(cpu.uncapped_target, recommendation.uncapped_target.cpu, text);
  expect_same(memory.target, recommendation.target.memory, text);
  expect_same(memory.lower_bound, recommendation.lower_bound.memory, text);
  expect_same(memory.upper_bound, recommendation.upper_bound.memory, text);
  expect_same(memory.uncapped_target, recommendation.uncapped_target.memory, text);
}

/// Explained before it is recommended, and while it is: both end in what is recommended.
void expect_explained(Scene& scene, double at) {
  const auto before = scene.policy().explain(ContainerName("app"), replay_time(at));
  ASSERT_TRUE(before.has_value()) << to_string(before.error());
  Explanation explanation{ContainerName("app"), {}, {}};
  const Sizes recommendation =
      scene.policy().recommend(replay_time(at), &explanation).at(0).sizes.value_or(Sizes());
  expect_ends_in(before->lines, recommendation);
  EXPECT_EQ(before->lines, explanation.lines);
}

struct Limits {
  const char* scenario;
  Amounts min;
  Amounts max;
};
class ExplainedNumbers : public testing::TestWithParam<std::tuple<RecommenderPolicy, Limits>> {};

// 450m of 500m and 90 MiB of 128 MiB, then a kill for memory.
TEST_P(ExplainedNumbers, AreThoseThatAreRecommended) {
  const auto& [policy, limits] = GetParam();
  WorkloadSettings settings;
  settings.containers.push_back(
      {.container = ContainerName("app"), .min_allowed = limits.min, .max_allowed = limits.max});
  Scene scene(policy, settings);
  scene.request(0, 500, 128 * kMi);
  scene.cpu(60, 450.3);
  scene.memory(60, static_cast<double>(90 * kMi));
  expect_explained(scene, 61);
  scene.event(70, OomKilled{Bytes{128 * kMi}});
  expect_explained(scene, 71);
}

std::string name_of(const testing::TestParamInfo<std::tuple<RecommenderPolicy, Limits>>& info) {
  constexpr std::array<const char*, 3> kNames{"Vpa", "Spike", "Hybrid"};
  const auto& [policy, limits] = info.param;
  return std::string(kNames.at(static_cast<std::size_t>(policy))) + limits.scenario;
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(EveryPolicy, ExplainedNumbers, testing::Combine(
    testing::Values(RecommenderPolicy::kVpa, RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid),
    testing::Values(
        Limits{"AsTheyAre", {}, {}},
        Limits{"CutOffAbove", {}, {Millicores{300}, Bytes{100 * kMi}}},
        Limits{"HeldUp", {Millicores{5000}, Bytes{9000 * kMi}}, {}})),
    name_of);
// clang-format on

RC_GTEST_PROP(ExplainedNumbersOfAnyLoad, AreThoseThatAreRecommended, ()) {
  WorkloadSettings settings;
  settings.settings.spike.margin_fraction = *rc::gen::element(0., 0.15);
  settings.settings.spike.scale_up_factor = *rc::gen::element(1.01, 2.);
  settings.settings.min_memory_mebibytes = *rc::gen::element(0., 250.);
  settings.containers.push_back(
      {.container = ContainerName("app"),
       .max_allowed = {Millicores{*rc::gen::inRange(0, 3000)}, std::nullopt}});
  Scene scene(*rc::gen::element(RecommenderPolicy::kVpa, RecommenderPolicy::kSpike,
                                RecommenderPolicy::kHybrid),
              settings);
  scene.request(0, 500, 500'000'000);
  double at = 0;
  for (const int load : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100'000))) {
    at += 7 * kMinute;
    scene.cpu(at, load * 0.017);
    scene.memory(at, load * 77'777.7);
    if (load % 10 == 3) scene.event(at, OomKilled{Bytes{std::int64_t{load} * 10'000}});
    if (load % 10 == 4) scene.event(at, Crashed{});
    if (load % 10 == 5) scene.event(at, CrashLoop{load % 20 == 5});
    expect_explained(scene, at);
  }
}

TEST(Explaining, ChangesNothing) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 128 * kMi);
  for (int crash = 0; crash < 3; ++crash) scene.event(60 + crash, Crashed{});
  const std::string before = scene.policy().save(replay_time(70));
  ASSERT_TRUE(scene.policy().explain(ContainerName("app"), replay_time(70)).has_value());
  EXPECT_EQ(scene.policy().save(replay_time(70)), before);
  EXPECT_EQ(scene.recommend(70).cpu.rule, Rule::kCrash) << "the rule that fires once still does";
}

TEST(Explaining, PrintsReadableNumbers) {
  WorkloadSettings settings;
  settings.settings.min_memory_mebibytes = 0;
  settings.settings.history.target_cpu_percentile = 0.99999999;
  const auto explained = [&](RecommenderPolicy policy) {
    Scene scene(policy, settings);
    scene.cpu(60, 0.0151e3);
    scene.memory(60, static_cast<double>(90 * kMi));
    return text_of(scene.policy().explain(ContainerName("app"), replay_time(61))->lines);
  };
  const std::string hybrid = explained(RecommenderPolicy::kHybrid);
  EXPECT_NE(hybrid.find("while starting -> 103809024 bytes"), std::string::npos) << hybrid;
  const std::string vpa = explained(RecommenderPolicy::kVpa);
  EXPECT_NE(vpa.find("percentile 0.99999999 -> "), std::string::npos) << vpa;
  EXPECT_NE(vpa.find("confidence factor infinity -> 100000000000000m\n"), std::string::npos) << vpa;
}

TEST(Explaining, GivesTheReasonWhyNothingIsRecommended) {
  WorkloadSettings settings;
  settings.containers.push_back({.container = ContainerName("off"), .is_off = true});
  settings.containers.push_back({.container = ContainerName("app"), .controls_memory = false});
  Scene scene(RecommenderPolicy::kSpike, settings);
  scene.request(0, 500, 128 * kMi);
  scene.cpu(60, 200);
  scene.policy().add_instance(PodName("b"), ContainerName("off"), replay_time(0));
  const auto explained = [&](const char* container, double at) {
    return text_of(scene.policy().explain(ContainerName(container), replay_time(at))->lines);
  };
  EXPECT_EQ(explained("app", 61),
            "cpu:\n  nothing is recommended: hold: highest usage -> 200m, request -> 500m, local "
            "maximum -> 200m, kept -> 500m\n"
            "memory:\n  nothing is recommended: controlled-resources leaves it out\n");
  EXPECT_EQ(explained("off", 61), "nothing is recommended: its container policy has mode off\n");
  scene.cpu(62, 450);
  EXPECT_EQ(explained("app", 62),
            "cpu:\n"
            "  target: scale-up: highest usage -> 450m, request -> 500m, threshold 0.7 -> 350m, "
            "times 2 -> 900m\n"
            "  lower bound: target -> 900m, times 0.5 -> 450m\n"
            "  upper bound: target -> 900m, times 2 -> 1800m\n"
            "  uncapped target: 900m\n"
            "memory:\n  nothing is recommended: controlled-resources leaves it out\n");
}

}  // namespace
}  // namespace bellows::recommender
