// What must not get in: an error that names object, field and value, and nothing else changes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "recommender/core/checkpoint.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

std::string error_of(Policy& policy, InstanceId instance, const Usage& usage) {
  const auto taken = policy.record(instance, usage);
  return taken ? "taken" : to_string(taken.error());
}

TEST(InvalidSamples, AreRejectedAndTheLastRecommendationStays) {
  for (const auto kind :
       {RecommenderPolicy::kVpa, RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid}) {
    Scene scene(kind);
    scene.cpu(300, 100);
    const auto before = scene.recommend(300).sizes;
    const WallTime next = replay_time(400);
    for (const double cores :
         {std::nan(""), -0.001, 1e6, std::numeric_limits<double>::infinity()}) {
      EXPECT_NE(error_of(scene.policy(), scene.app(), {next, Resource::kCpu, cores}), "taken");
    }
    EXPECT_EQ(error_of(scene.policy(), scene.app(), {next, Resource::kCpu, -1}),
              "app: cpu-cores -1: want a number from 0 to 100000");
    EXPECT_EQ(error_of(scene.policy(), scene.app(), {next, Resource::kMemory, 2e14}),
              "app: memory-bytes 2e+14: want a number from 0 to 100000000000000");
    EXPECT_EQ(error_of(scene.policy(), scene.app(), {replay_time(299), Resource::kCpu, 1}),
              "app: cpu-cores at 2026-01-01T00:04:59Z: want no time before the latest sample, "
              "2026-01-01T00:05:00Z");
    EXPECT_EQ(scene.recommend(300).sizes, before);
  }
}

TEST(InvalidRequests, AreRejected) {
  Scene scene(RecommenderPolicy::kSpike);
  const auto set = scene.policy().set_request(scene.app(), {Millicores{-5}, {}}, replay_time(1));
  ASSERT_FALSE(set.has_value());
  EXPECT_EQ(set.error().culprit(), "app");
  EXPECT_FALSE(scene.policy().record(scene.app(), Event{replay_time(1), OomKilled{Bytes{-1}}}));
}

TEST(OomKills, OlderThanAnIntervalAreRejected) {
  Scene scene(RecommenderPolicy::kVpa);
  scene.memory(2 * kDay, 3e8);
  const auto done =
      scene.policy().record(scene.app(), Event{replay_time(0.5 * kDay), OomKilled{Bytes{1}}});
  ASSERT_FALSE(done.has_value());
  EXPECT_TRUE(to_string(done.error()).starts_with("app: oom at 2026-01-01T12:00:00Z: want "));
}

std::string checkpoint_with(const std::string& version, const std::string& weights,
                            const std::string& total) {
  const std::string histogram = R"({"referenceTimestamp":"2026-01-01T00:00:00Z","bucketWeights":)" +
                                weights + R"(,"totalWeight":)" + total + "}";
  return R"({"version":")" + version + R"(","cpuHistogram":)" + histogram +
         R"(,"memoryHistogram":)" + histogram + "}";
}

std::string error_of(const std::string& checkpoint) {
  const auto parsed = parse_checkpoint("web-app", checkpoint);
  return parsed ? "taken" : to_string(parsed.error());
}

TEST(InvalidCheckpoints, NameFieldAndValue) {
  EXPECT_EQ(error_of(checkpoint_with("v3", R"({"8":10000})", "1.5")), "taken");
  EXPECT_EQ(error_of(checkpoint_with("v2", "{}", "0")),
            "checkpoint web-app: line 1: version: \"v2\": want \"v3\"");
  for (const auto& [weights, total, field] :
       {std::array<const char*, 3>{R"({"176":1})", "1", "bucketWeights.176"},
        {R"({"-1":1})", "1", "bucketWeights.-1"},
        {R"({"8":-1})", "1", "bucketWeights.8"},
        {R"({"8":1})", "-1", "totalWeight"}}) {
    const std::string error = error_of(checkpoint_with("v3", weights, total));
    EXPECT_NE(error.find(std::string("cpuHistogram.") + field), std::string::npos) << error;
  }
  EXPECT_NE(error_of("{}"), "taken");
  EXPECT_NE(error_of("nothing"), "taken");
}

TEST(Checkpoints, ReadBackAsTheyWereWritten) {
  Scene scene(RecommenderPolicy::kVpa);
  for (int hour = 0; hour < 50; ++hour) {
    scene.cpu(hour * kHour, 100 + hour * 13 % 40);
    scene.memory(hour * kHour, 2e8 + hour * 1e6);
  }
  const auto written = scene.policy().checkpoint(ContainerName("app"), replay_time(50 * kHour));
  ASSERT_TRUE(written.has_value());
  const auto read = parse_checkpoint("app", checkpoint_json(*written));
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(checkpoint_json(*read), checkpoint_json(*written));
}

TEST(Checkpoints, AreUnsupportedByAPolicyWithoutHistograms) {
  Scene scene(RecommenderPolicy::kSpike);
  const auto none = scene.policy().checkpoint(ContainerName("app"), replay_time(1));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind(), ErrorKind::kUnsupported);
}

TEST(SavedStates, ThatAreInvalidInTheMiddleChangeNothing) {
  Scene scene(RecommenderPolicy::kVpa);
  scene.cpu(300, 100);
  scene.memory(300, 3e8);
  std::string saved = scene.policy().save(replay_time(300));
  Scene other(RecommenderPolicy::kVpa);
  const std::string before = other.policy().save(replay_time(0));
  EXPECT_FALSE(other.policy().restore("{}").has_value());
  const std::size_t at = saved.find("\"last-bucket\":") + 14;
  const auto broken = other.policy().restore(saved.replace(at, 1, "999"));
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(to_string(broken.error()).find("last-bucket"), std::string::npos);
  EXPECT_EQ(other.policy().save(replay_time(0)), before);
}

TEST(ContainerPolicies, WithContradictingLimitsAreErrors) {
  WorkloadSettings settings;
  settings.containers.push_back({.container = ContainerName("app"),
                                 .min_allowed = {Millicores{500}, {}},
                                 .max_allowed = {Millicores{100}, {}}});
  const auto errors = validation_errors(settings);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(to_string(errors[0]),
            "container policy app: min-allowed cpu 500m: want at most max-allowed, which is 100m");
}

TEST(ContainerPolicies, ForAnUnknownContainerAreReportedAndHaveNoEffect) {
  WorkloadSettings settings;
  settings.containers.push_back({.container = ContainerName("apps")});
  Scene scene(RecommenderPolicy::kVpa, settings);
  scene.cpu(300, 100);
  EXPECT_EQ(scene.cpu_target(301), 126);
  const auto errors = scene.policy().policies_without_container();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(to_string(errors[0]),
            "container policy apps: there is none of that name; want one of: app");
}

TEST(ContainerPolicies, CapTheTargetAndBothBoundsButNotTheUncappedTarget) {
  WorkloadSettings settings;
  settings.containers.push_back({.container = ContainerName("*"),
                                 .max_allowed = {Millicores{100}, {}},
                                 .controls_memory = false});
  Scene scene(RecommenderPolicy::kVpa, settings);
  scene.cpu(300, 100);
  const Sizes sizes = *scene.recommend(301).sizes;
  EXPECT_EQ(sizes.target, (Amounts{Millicores{100}, {}}));
  EXPECT_EQ(sizes.upper_bound.cpu, Millicores{100});
  EXPECT_EQ(sizes.uncapped_target.cpu, Millicores{126});
}

TEST(Annotations, OverrideTheSpikeRulePerContainer) {
  WorkloadSettings settings;
  settings.annotations = {{"recommender.bellows.dev/scale-up-factor", "3"},
                          {"recommender.bellows.dev/other_scale-up-factor", "4"},
                          {"example.org/scale-up-factor", "much"}};
  EXPECT_TRUE(validation_errors(settings).empty());
  Scene scene(RecommenderPolicy::kSpike, settings);
  scene.request(0, 100, 0);
  scene.cpu(1, 90);
  EXPECT_EQ(scene.cpu_target(1), 270);
  settings.annotations["recommender.bellows.dev/app_scale-up-factor"] = "1";
  EXPECT_EQ(validation_errors(settings).size(), 1U);
}

TEST(SpikeSettings, ThatFlapCauseAWarning) {
  EXPECT_EQ(config::warnings_about({}).size(), 1U);
  EXPECT_TRUE(config::warnings_about({.scale_down_safety_factor = 1.5}).empty());
  EXPECT_EQ(config::warnings_about({.scale_up_factor = 4, .scale_down_safety_factor = 1.5}).size(),
            1U);
}

}  // namespace
}  // namespace bellows::recommender
