#include "simulator/policy.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(Policies, DefaultToTenSlotsPerReplica) {
  const auto policies = read_policies("bellows", "");
  ASSERT_TRUE(policies);
  EXPECT_EQ(policies->front().settings.container_concurrency, 10);
  EXPECT_EQ(policies->front().settings.request_timeout, 0s);
  EXPECT_EQ(policies->front().settings.drain_timeout, 24h);
}

TEST(Policies, ShareCommonSettingsAndAddTheirOwn) {
  const auto policies = read_policies("bellows,bellows:window=30s:max-scale=5",
                                      "container-concurrency=20,max-scale=9");
  ASSERT_TRUE(policies);
  ASSERT_EQ(policies->size(), 2U);
  EXPECT_EQ((*policies)[1].name, "bellows:window=30s:max-scale=5");
  EXPECT_EQ((*policies)[0].settings.container_concurrency, 20);
  EXPECT_EQ((*policies)[0].settings.max_scale, 9);
  EXPECT_EQ((*policies)[1].settings.window, 30s);
  EXPECT_EQ((*policies)[1].settings.max_scale, 5);
}

TEST(Policies, UserSettingsOverrideThoseOfAProfile) {
  const auto policies = read_policies("knative,knative:max-scale-up-rate=5", "");
  ASSERT_TRUE(policies);
  EXPECT_EQ((*policies)[0].settings.max_scale_up_rate, 1000);
  EXPECT_EQ((*policies)[1].settings.max_scale_up_rate, 5);
}

TEST(Policies, AllProblemsAreReportedTogetherWithTheirOrigin) {
  const auto policies =
      read_policies("bellows:windw=30s,bellows:window=1ms,bellows:window,kubernetes", "");
  ASSERT_FALSE(policies);
  ASSERT_EQ(policies.error().size(), 4U);
  EXPECT_EQ(policies.error()[0].culprit(), "--policy bellows:windw=30s: windw");
  EXPECT_EQ(policies.error()[1].culprit(), "--policy bellows:window=1ms: window");
  EXPECT_EQ(policies.error()[2].culprit(), "--policy bellows:window: window");
  EXPECT_EQ(policies.error()[3].culprit(), "--policy kubernetes: profile");
}

TEST(Policies, ACommonProblemIsReportedOnce) {
  const auto policies = read_policies("bellows,knative,seed", "min-scale=3,max-scale=2");
  ASSERT_FALSE(policies);
  ASSERT_EQ(policies.error().size(), 1U);
  EXPECT_EQ(policies.error()[0].culprit(), "--set: min-scale");
}

TEST(Policies, WithTooManyReplicasForASimulationAreRejected) {
  for (const char* setting : {"min-scale", "initial-scale", "activation-scale"}) {
    const auto policies = read_policies("bellows", std::string(setting) + "=100000000");
    ASSERT_TRUE(policies) << setting;
    const std::vector<Error> problems = not_simulated(*policies, {});
    ASSERT_EQ(problems.size(), 1U) << setting;
    EXPECT_EQ(to_string(problems[0]), "policy bellows: " + std::string(setting) +
                                          ": \"100000000\": want at most 5000, the maximum of "
                                          "a simulation");
  }
}

TEST(Policies, ThatScaleByAnUnusedResourceAreRejected) {
  const auto policies = read_policies("bellows:memory-utilization=1,knative", "cpu-utilization=50");
  ASSERT_TRUE(policies);
  AppModel app;
  const std::vector<Error> problems = not_simulated(*policies, app);
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(to_string(problems[0]),
            "policy bellows:memory-utilization=1: memory-utilization: the simulated app uses no "
            "memory: want it unset");
  EXPECT_EQ(to_string(problems[2]),
            "policy knative: cpu-utilization: the app uses no CPU: want --app cpu=DURATION, or it "
            "unset");
  app.cpu = 20ms;
  EXPECT_EQ(not_simulated(*policies, app).size(), 1U);
}

}  // namespace
}  // namespace bellows::simulator
