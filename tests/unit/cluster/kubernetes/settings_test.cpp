#include "cluster/kubernetes/core/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/revision_schema.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

SettingsRead read(const Texts& pod_template, const Texts& target, const Texts& scaling = {}) {
  return read_settings({.target = "Deployment web",
                        .template_annotations = pod_template,
                        .target_annotations = target,
                        .scaling = scaling});
}

std::vector<std::string> lines(const SettingsRead& read) {
  std::vector<std::string> all;
  for (const Error& problem : read.problems) all.push_back(to_string(problem));
  return all;
}

TEST(RevisionSettingsOfACluster, NothingSetGivesTheDefaults) {
  const auto settings = read({}, {}).settings;
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, config::RevisionSettings());
}

TEST(RevisionSettingsOfACluster, KnativesAnnotationsAreRead) {
  const auto settings = read({{"autoscaling.knative.dev/target", "25"},
                              {"autoscaling.knative.dev/minScale", "2"},
                              {"autoscaling.knative.dev/window", "90s"},
                              {"serving.knative.dev/progress-deadline", "2m"}},
                             {})
                            .settings;
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->target, 25);
  EXPECT_EQ(settings->min_scale, 2);
  EXPECT_EQ(settings->window, 90s);
  EXPECT_EQ(settings->progress_deadline, 2min);
}

TEST(RevisionSettingsOfACluster, ForeignAnnotationsAndUnknownOnesOfKnativeAreIgnored) {
  const SettingsRead got = read({{"autoscaling.knative.dev/new-feature", "x"},
                                 {"serving.knative.dev/creator", "alice@example.com"}},
                                {{"deployment.kubernetes.io/revision", "3"},
                                 {"bellows.dev/service", "shop"},
                                 {"bellows.dev/port", "8080"}});
  EXPECT_THAT(lines(got), ElementsAre());
}

TEST(RevisionSettingsOfACluster, AProblemOfPoliciesNamesTheKeyOfTheUser) {
  const auto read_with = [](const Texts& target, const Texts& scaling, const std::string& culprit) {
    return lines(read_settings({.target = "Deployment web",
                                .template_annotations = {},
                                .target_annotations = target,
                                .scaling = scaling},
                               [&](const config::RevisionSettings&) -> Result<void> {
                                 return fail(ErrorKind::kMalformed, culprit, "want another");
                               }));
  };
  const Texts set = {{"bellows.dev/policy", "a"}, {"bellows.dev/autoscaling", "{}"}};
  EXPECT_THAT(read_with(set, {}, "policy"),
              ElementsAre("Deployment web, annotation bellows.dev/policy: want another"));
  EXPECT_THAT(
      read_with(set, {}, "autoscaling.up.cooldown"),
      ElementsAre("Deployment web, annotation bellows.dev/autoscaling.up.cooldown: want another"));
  EXPECT_THAT(read_with(set, {{"autoscaling", "{}"}}, "autoscaling.up"),
              ElementsAre("spec.scaling.autoscaling.up: want another"));
}

TEST(RevisionSettingsOfACluster, WhatQueueProxiesTakeIsNamedAsTheyDo) {
  const SettingsRead got =
      read({{"autoscaling.knative.dev/window", "30s"}},
           {{"bellows.dev/container-concurrency", "0"}, {"bellows.dev/min-scale", "1"}},
           {{"queueAge", "5s"}});
  EXPECT_EQ(got.of_queue_proxies,
            (Texts{{"container-concurrency", "0"}, {"window", "30s"}, {"queue-age", "5s"}}))
      << "a default that is set too, because a manifest may have another value";
  EXPECT_THAT(read({}, {{"bellows.dev/min-scale", "1"}}).of_queue_proxies, ElementsAre());
  EXPECT_EQ(texts_of_queue_proxies({{"window", "30s"}, {"min-scale", "1"}}),
            (Texts{{"window", "30s"}}));
}

struct OrderCase {
  std::string name;
  Texts pod_template;
  Texts target;
  Texts scaling;
  double want;
};

class SettingsOrder : public testing::TestWithParam<OrderCase> {};

TEST_P(SettingsOrder, TheStrongerPlaceWins) {
  const auto settings = read(GetParam().pod_template, GetParam().target, GetParam().scaling);
  ASSERT_TRUE(settings.settings) << problems_line(settings.problems);
  EXPECT_EQ(settings.settings->target, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, SettingsOrder,
    testing::Values(
        OrderCase{"OursBeforeKnatives",
                  {{"autoscaling.knative.dev/target", "1"}, {"bellows.dev/target", "2"}},
                  {},
                  {},
                  2},
        OrderCase{"TargetBeforeItsPodTemplate",
                  {{"bellows.dev/target", "2"}},
                  {{"autoscaling.knative.dev/target", "3"}},
                  {},
                  3},
        OrderCase{"OursBeforeKnativesOnTheTarget",
                  {{"bellows.dev/target", "2"}},
                  {{"autoscaling.knative.dev/target", "3"}, {"bellows.dev/target", "4"}},
                  {},
                  4},
        OrderCase{"SpecBeforeAll", {}, {{"bellows.dev/target", "4"}}, {{"target", "5"}}, 5}),
    [](const auto& case_info) { return case_info.param.name; });

TEST(RevisionSettingsOfACluster, CamelCaseNamesEverySetting) {
  for (const config::Declaration& declaration : config::revision_schema().declarations()) {
    const SettingsRead got = read({}, {}, {{config::camel_case(declaration.name), "\x01"}});
    for (const Error& problem : got.problems) {
      EXPECT_EQ(problem.culprit(), "spec.scaling." + config::camel_case(declaration.name));
      EXPECT_THAT(problem.message(), testing::Not(HasSubstr("unknown setting")));
    }
  }
}

TEST(RevisionSettingsOfACluster, AnInvalidValueIsNamedWithKeyValueAndWhatIsValid) {
  const SettingsRead got = read({{"autoscaling.knative.dev/min-scale", "-1"}},
                                {{"bellows.dev/window", "1s"}}, {{"maxScale", "2.5"}});
  EXPECT_FALSE(got.settings);
  EXPECT_THAT(
      lines(got),
      ElementsAre(
          "Deployment web, pod template, annotation autoscaling.knative.dev/min-scale: \"-1\": "
          "want a whole number from 0 to 100000000",
          "Deployment web, annotation bellows.dev/window: \"1s\": want a duration (90s, 1m30s) "
          "from 2s to 1h, in whole seconds",
          "spec.scaling.maxScale: \"2.5\": want a whole number from 0 to 100000000"));
}

TEST(RevisionSettingsOfACluster, LivenessIsLeftToTheKubelet) {
  constexpr const char* kWhy =
      ": \"/live\": want nothing on Kubernetes, where the kubelet restarts an app that hangs: set "
      "the livenessProbe of its container";
  const SettingsRead annotated = read({}, {{"bellows.dev/liveness-path", "/live"}});
  EXPECT_FALSE(annotated.settings);
  EXPECT_THAT(lines(annotated), ElementsAre(std::string("Deployment web, annotation "
                                                        "bellows.dev/liveness-path") +
                                            kWhy));
  EXPECT_THAT(lines(read({}, {}, {{"livenessPath", "/live"}})),
              ElementsAre(std::string("spec.scaling.livenessPath") + kWhy));
}

TEST(RevisionSettingsOfACluster, AFixedPortIsThatOfAMachine) {
  EXPECT_THAT(
      lines(read({}, {}, {{"port", "3000"}})),
      ElementsAre("spec.scaling.port: \"3000\": want nothing on Kubernetes, where pods share no "
                  "port"));
  EXPECT_TRUE(read({}, {{"bellows.dev/port", "8012"}}).settings) << "where the queue-proxy listens";
}

TEST(RevisionSettingsOfACluster, AnUnknownKeyOfOursIsAProblemWithASuggestion) {
  EXPECT_THAT(lines(read({}, {{"bellows.dev/min-scal", "1"}, {"bellows.dev/servise", "shop"}})),
              ElementsAre("Deployment web, annotation bellows.dev/min-scal: unknown setting; did "
                          "you mean min-scale?",
                          "Deployment web, annotation bellows.dev/servise: unknown setting; did "
                          "you mean bellows.dev/service?"));
  EXPECT_THAT(lines(read({}, {{"bellows.dev/autoscale", "true"}})),
              ElementsAre(HasSubstr("it is a label of the Deployment")));
}

TEST(RevisionSettingsOfACluster, TwoSettingsThatContradictEachOtherAreNamedTogether) {
  EXPECT_THAT(lines(read({}, {{"bellows.dev/min-scale", "5"}}, {{"maxScale", "3"}})),
              ElementsAre(HasSubstr("\"5\" together with max-scale \"3\"")));
}

TEST(RevisionSettingsOfACluster, GoodSettingsComeBackFromTheirTexts) {
  const auto settings = read({}, {{"bellows.dev/profile", "knative"}, {"bellows.dev/target", "7"}},
                             {{"scaleDownDelay", "30s"}})
                            .settings;
  ASSERT_TRUE(settings);
  EXPECT_EQ(good_settings(good_settings_texts(*settings)), settings);
  EXPECT_EQ(good_settings({{"max-scale", "many"}}), std::nullopt);
}

}  // namespace
}  // namespace bellows::cluster
