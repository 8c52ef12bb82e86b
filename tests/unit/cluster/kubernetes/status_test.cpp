#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/kubernetes/core/conditions.hpp"
#include "cluster/kubernetes/core/status_object.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using kubernetes::Condition;
using Status = kubernetes::ConditionStatus;
using testing::HasSubstr;

Report report(PodCount desired) {
  Report made;
  made.desired = desired;
  made.serving = desired > 0 ? ServingState::kActive : ServingState::kReserve;
  made.mode = "stable";
  made.reason = "concurrency 3.2 above target 2";
  return made;
}

/// A Revision with all of 2 replicas ready.
Standing steady() {
  Standing standing;
  standing.service = "web";
  standing.requested = 2;
  standing.there = 2;
  standing.ready = 2;
  standing.report = report(2);
  return standing;
}

template <class Change>
Standing with(Change change) {
  Standing standing = steady();
  change(standing);
  return standing;
}

Standing all_failing() {
  Standing standing = steady();
  standing.ready = 0;
  standing.failure_message = "pod web-1: container app: CrashLoopBackOff";
  return standing;
}

Standing through_activators() {
  Standing standing = steady();
  standing.routed = Routed{.status = kubernetes::ConditionStatus::kTrue,
                           .reason = "ThroughActivators",
                           .message = "activators take requests: a-1"};
  return standing;
}

/// A mesh that takes no connection of activators.
Standing kept_away() {
  Standing standing = through_activators();
  standing.report->kept_away = {PodName("a-1"), PodName("a-2")};
  return standing;
}

Standing not_in_the_pods() {
  Standing standing = steady();
  standing.report->without_effect = {{"drain-timeout", "it stays 25s"}};
  return standing;
}

const Finding kGone{std::string(kTargetNotFound), "Deployment web does not exist", true};
const Finding kBadSetting{std::string(kConfigInvalid), "target: many", false};
const Finding kNoService{std::string(kServiceNotFound), "no Service", false};

Standing without_target() {
  Standing standing = steady();
  standing.ready = 0;
  standing.findings = {kNoService, kGone};
  return standing;
}

Standing without_queue_proxy() {
  Standing standing = steady();
  standing.routed = Routed{.status = kubernetes::ConditionStatus::kFalse,
                           .reason = std::string(kQueueProxyMissing),
                           .message = "the pods have no container queue-proxy"};
  return standing;
}

/// "True ReplicasReady" of the condition of that type.
std::string told(const Standing& standing, const std::string& type) {
  for (const Condition& condition : conditions_of(standing)) {
    if (condition.type == type) {
      return std::string(to_string(condition.status)) + " " + condition.reason;
    }
  }
  return "none";
}

struct ConditionCase {
  std::string name;
  Standing standing;
  std::string type;
  std::string want;
};

class ConditionTable : public testing::TestWithParam<ConditionCase> {};

TEST_P(ConditionTable, IsAsTold) {
  EXPECT_EQ(told(GetParam().standing, GetParam().type), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Ready, ConditionTable,
    testing::Values(
        ConditionCase{"Ready", steady(), "Ready", "True ReplicasReady"},
        ConditionCase{"ReadyAtZero", with([](Standing& s) { s.requested = s.there = s.ready = 0; }),
                      "Ready", "True AtZero"},
        ConditionCase{"NotReadyWhileTheFirstStarts", with([](Standing& s) { s.ready = 0; }),
                      "Ready", "Unknown ReplicasStarting"},
        ConditionCase{"NotReadyWhenAllFail", all_failing(), "Ready", "False ReplicasFailing"},
        ConditionCase{"NotReadyWithoutTarget", without_target(), "Ready", "False TargetNotFound"},
        ConditionCase{"NotReadyWithABadSetting",
                      with([](Standing& s) { s.findings = {kBadSetting}; }), "Ready",
                      "False ConfigInvalid"},
        ConditionCase{"ReadyWithoutAService", with([](Standing& s) { s.findings = {kNoService}; }),
                      "Ready", "True ReplicasReady"},
        ConditionCase{"NotReadyWithoutAQueueProxy", without_queue_proxy(), "Ready",
                      "False QueueProxyMissing"},
        ConditionCase{"NotReadyWhenRetired",
                      with([](Standing& s) { s.asked = RevisionState::kRetired; }), "Ready",
                      "False Retired"}),
    [](const auto& case_info) { return case_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Others, ConditionTable,
    testing::Values(
        ConditionCase{"Active", steady(), "Active", "True Active"},
        ConditionCase{"NotActiveWithoutLoad", with([](Standing& s) { s.report = report(0); }),
                      "Active", "False NoLoad"},
        ConditionCase{"NotDecided", with([](Standing& s) { s.report.reset(); }), "Active",
                      "Unknown NotDecided"},
        ConditionCase{"AbleToScale", steady(), "AbleToScale", "True ReadyForNewScale"},
        ConditionCase{"NotAbleWithoutTarget", with([](Standing& s) { s.findings = {kGone}; }),
                      "AbleToScale", "False TargetNotFound"},
        ConditionCase{"AbleWithABadSetting", with([](Standing& s) { s.findings = {kBadSetting}; }),
                      "AbleToScale", "True ReadyForNewScale"},
        ConditionCase{"NotAbleAfterAFailedWrite", with([](Standing& s) { s.scale_error = "403"; }),
                      "AbleToScale", "False FailedUpdateScale"},
        ConditionCase{"NotAbleWhileSetBack",
                      with([](Standing& s) { s.set_back = "argocd-controller"; }), "AbleToScale",
                      "False ReplicasSetBack"},
        ConditionCase{"ScalingActive", steady(), "ScalingActive", "True ValidMetricFound"},
        ConditionCase{"ScalingDisabled",
                      with([](Standing& s) { s.asked = RevisionState::kPaused; }), "ScalingActive",
                      "False ScalingDisabled"},
        ConditionCase{"StatsMissing", with([](Standing& s) { s.report->is_load_known = false; }),
                      "ScalingActive", "False StatsMissing"},
        ConditionCase{"NotLimited", steady(), "ScalingLimited", "False DesiredWithinRange"},
        ConditionCase{"TooMany", with([](Standing& s) { s.report->limited_by = "max-scale"; }),
                      "ScalingLimited", "True TooManyReplicas"},
        ConditionCase{"TooFew", with([](Standing& s) { s.report->limited_by = "min-scale"; }),
                      "ScalingLimited", "True TooFewReplicas"},
        ConditionCase{"ScaleUpLimit",
                      with([](Standing& s) { s.report->limited_by = "max-scale-up-rate"; }),
                      "ScalingLimited", "True ScaleUpLimit"},
        ConditionCase{"SettingsInvalid", with([](Standing& s) { s.findings = {kBadSetting}; }),
                      "SettingsValid", "False ConfigInvalid"},
        ConditionCase{"NotRoutedWhereActivatorsReachNoPod", kept_away(), "Routed",
                      "False ReplicasUnreachable"},
        ConditionCase{"RoutedAsBeforeWhereTheyAreNotKeptAway", through_activators(), "Routed",
                      "True ThroughActivators"},
        ConditionCase{"WhatHindersActivatorsComesFirst", with([](Standing& s) {
                        s = kept_away();
                        s.routed = Routed{.status = kubernetes::ConditionStatus::kFalse,
                                          .reason = "QueueProxyBypassed",
                                          .message = "a line"};
                      }),
                      "Routed", "False QueueProxyBypassed"},
        ConditionCase{"ServiceMissing", with([](Standing& s) { s.findings = {kNoService}; }),
                      "ServiceFound", "False ServiceNotFound"},
        ConditionCase{"ServiceFound", steady(), "ServiceFound", "True ServiceFound"}),
    [](const auto& case_info) { return case_info.param.name; });

TEST(SettingsWithoutEffect, AreAllNamedUntilTheyAreTooMany) {
  EXPECT_FALSE(settings_without_effect(steady()));
  Standing standing = not_in_the_pods();
  standing.without_effect = {{"cpu-utilization", "not measured"}};
  EXPECT_EQ(settings_without_effect(standing)->message,
            "cpu-utilization: not measured; drain-timeout: it stays 25s");
  for (int i = 0; i < 110; ++i) standing.report->without_effect.push_back({"s", "b"});
  EXPECT_THAT(settings_without_effect(standing)->message, HasSubstr("; and 12 more"));
}

/// session-affinity is set; `routed`: whether activators are in the path, and why not.
Standing of_activators(bool keeps_activators, std::optional<Routed> routed) {
  return with([&](Standing& s) {
    s.of_activators.always = {"session-affinity"};
    s.keeps_activators = keeps_activators;
    s.routed = std::move(routed);
  });
}
const Routed kThrough = {Status::kTrue, "ThroughActivators", "activators a take requests"};
const Routed kJoining = {Status::kUnknown, "ActivatorsJoining", "activators are joining the path"};
const Routed kHeadless = {Status::kFalse, "HeadlessService", "Service web is headless"};

TEST(SettingsOfActivatorsAlone, SayHowTheyHoldForAllRequests) {
  EXPECT_THAT(settings_without_effect(of_activators(false, kThrough))->message,
              HasSubstr("target-burst-capacity -1"));
  EXPECT_THAT(settings_without_effect(of_activators(true, kHeadless))->message,
              HasSubstr("none is in the path"));
}

Standing with_waiting_page(std::optional<Routed> routed) {
  return with([&](Standing& s) {
    s.of_activators.without_replica = {"waiting-page"};
    s.routed = std::move(routed);
  });
}

TEST(SettingsOfActivatorsAlone, AreNamedWhereNoActivatorCanBeInThePath) {
  EXPECT_THAT(settings_without_effect(with_waiting_page(kHeadless))->message,
              HasSubstr("waiting-page: only activators enforce it, and none is in the path"));
}

INSTANTIATE_TEST_SUITE_P(
    ActivatorsWithoutReplica, ConditionTable,
    testing::Values(ConditionCase{"ThatMayLeaveThePath", with_waiting_page(kThrough),
                                  "SettingsInEffect", "True SettingsInEffect"},
                    ConditionCase{"ThatCannotJoin", with_waiting_page(kHeadless),
                                  "SettingsInEffect", "False NotEnforced"},
                    ConditionCase{"ThatCallersReachInOtherWays", with_waiting_page({}),
                                  "SettingsInEffect", "True SettingsInEffect"}),
    [](const auto& case_info) { return case_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    ActivatorsAlone, ConditionTable,
    testing::Values(ConditionCase{"ThatMayLeaveThePath", of_activators(false, kThrough),
                                  "SettingsInEffect", "False NotEnforced"},
                    ConditionCase{"ThatStayInThePath", of_activators(true, kThrough),
                                  "SettingsInEffect", "True SettingsInEffect"},
                    ConditionCase{"ThatAreJoiningToStay", of_activators(true, kJoining),
                                  "SettingsInEffect", "True SettingsInEffect"},
                    ConditionCase{"ThatCannotJoin", of_activators(true, kHeadless),
                                  "SettingsInEffect", "False NotEnforced"},
                    ConditionCase{"ThatCallersReachInOtherWays", of_activators(false, {}),
                                  "SettingsInEffect", "True SettingsInEffect"}),
    [](const auto& case_info) { return case_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Settings, ConditionTable,
    testing::Values(ConditionCase{"SettingsInEffect", steady(), "SettingsInEffect",
                                  "True SettingsInEffect"},
                    ConditionCase{"SettingsThatPodsDoNotTake", not_in_the_pods(),
                                  "SettingsInEffect", "False NotInThePods"},
                    ConditionCase{"SettingsThatNothingEnforces", with([](Standing& s) {
                                    s = not_in_the_pods();
                                    s.without_effect = {{"cpu-utilization", "not measured"}};
                                  }),
                                  "SettingsInEffect", "False NotEnforced"},
                    ConditionCase{"NoneInEffectWhileInvalid",
                                  with([](Standing& s) { s.findings = {kBadSetting}; }),
                                  "SettingsInEffect", "False ConfigInvalid"},
                    ConditionCase{"ReadyThoughASettingHasNoEffect", not_in_the_pods(), "Ready",
                                  "True ReplicasReady"}),
    [](const auto& case_info) { return case_info.param.name; });

TEST(ARevision, IsMovingUntilAllAskedReplicasAreReady) {
  EXPECT_FALSE(is_moving(steady()));
  EXPECT_TRUE(is_moving(with([](Standing& s) { s.ready = 1; })));
  EXPECT_TRUE(is_moving(with([](Standing& s) { s.there = 3; })));
  EXPECT_TRUE(is_moving(with([](Standing& s) { s.report.reset(); })));
  EXPECT_FALSE(is_moving(all_failing()));
  EXPECT_FALSE(is_moving(with([](Standing& s) { s.ready = 1, s.set_back = "argocd"; })));
  EXPECT_FALSE(is_moving(with([](Standing& s) { s.ready = 1, s.scale_error = "403"; })));
  EXPECT_FALSE(is_moving(without_target()));
}

Record record() {
  Record made;
  made.object = test::revision();
  made.has_settings = true;
  made.settings_texts = {{"target", "7"}};
  return made;
}

constexpr WallTime kNoon = WallTime(12h);

TEST(StatusOfARevision, IsReplacedAsAWholeIfTheRevisionIsStillTheSame) {
  const StatusObject status = status_of(record(), steady(), {}, kNoon);
  EXPECT_EQ(status.observed_generation, 3);
  EXPECT_EQ(status.desired_replicas, 2);
  const std::string patch = status_patch("u-1", status);
  EXPECT_THAT(patch, HasSubstr(R"({"op":"test","path":"/metadata/uid","value":"u-1"})"));
  EXPECT_THAT(patch, HasSubstr(R"({"op":"add","path":"/status","value":{"observedGeneration":3)"));
  EXPECT_THAT(patch, HasSubstr(R"("settings":{"target":"7"})"));
  EXPECT_THAT(patch, HasSubstr(R"("lastTransitionTime":"1970-01-01T12:00:00Z")"));
}

TEST(StatusOfARevision, ReadsBackAsItWasWritten) {
  Standing standing = steady();
  standing.report->saved_state = R"({"version":2})";
  standing.report->learned_target = 37.9;
  standing.resting_ports = {{20017, kNoon}, {20018, kNoon + 5s}};
  const StatusObject status = status_of(record(), standing, {}, kNoon);
  const std::string patch = status_patch("u", status);
  const std::size_t at = patch.find(R"("path":"/status","value":)") + 25;
  const std::string json = patch.substr(at, patch.size() - at - 2);
  EXPECT_EQ(
      test::object<RevisionObject>("{'metadata':{'name':'web'},'spec':{},'status':" + json + "}")
          ->status,
      status);
}

TEST(StatusOfARevision, ALearnedTargetThatCannotBeIsNamed) {
  const auto with_target = [](const std::string& target) {
    return kubernetes::error_of(kubernetes::read_object<RevisionObject>(
        "{'metadata':{'namespace':'shop','name':'web'},'spec':{},'status':{'learnedTarget':" +
        target + "}}"));
  };
  EXPECT_EQ(with_target("12"), "");
  EXPECT_EQ(with_target("0"),
            "Revision shop/web: status.learnedTarget: 0: want a number from 0.01 to 1000000");
  EXPECT_EQ(
      with_target("'many'"),
      "Revision shop/web: status.learnedTarget: \"many\": want a number from 0.01 to 1000000");
}

TEST(StatusOfARevision, AConditionKeepsItsTimeWhileItsStatusStays) {
  const StatusObject first = status_of(record(), steady(), {}, kNoon);
  const StatusObject later =
      status_of(record(), with([](Standing& s) { s.ready = 1; }), first.conditions, kNoon + 1h);
  EXPECT_EQ(later.conditions[0].type, "Ready");
  EXPECT_EQ(later.conditions[0].message, "1 of 2 replicas are ready");
  EXPECT_EQ(later.conditions[0].last_transition, kNoon);
  const StatusObject failed = status_of(record(), with([](Standing& s) { s.findings = {kGone}; }),
                                        first.conditions, kNoon + 1h);
  EXPECT_EQ(failed.conditions[0].last_transition, kNoon + 1h);
}

TEST(ChangeOfAStatus, OfWhatUsersSeeIsToldSoon) {
  const StatusObject before = status_of(record(), steady(), {}, kNoon);
  EXPECT_EQ(change_of(before, before, false), std::nullopt);
  StatusObject after = before;
  after.ready_replicas = 1;
  EXPECT_EQ(change_of(before, after, false), StatusChange::kSettled);
  EXPECT_EQ(change_of(before, after, true), StatusChange::kMoving);
}

/// Activators fill replicas by it.
TEST(ChangeOfAStatus, OfTheLearnedTargetIsToldSoon) {
  const StatusObject before = status_of(record(), steady(), {}, kNoon);
  StatusObject after = before;
  after.learned_target = 38.0;
  EXPECT_EQ(change_of(before, after, false), StatusChange::kSettled);
}

/// Until the autoscaler has decided, activators go on by what its predecessor learned.
TEST(StatusOfARevision, KeepsTheLearnedTargetUntilTheFirstDecision) {
  Record known = record();
  auto object = std::make_shared<RevisionObject>(*known.object);
  object->status.learned_target = 38.0;
  known.object = object;
  const StatusObject before =
      status_of(known, with([](Standing& s) { s.report.reset(); }), {}, kNoon);
  EXPECT_EQ(before.learned_target, 38.0);
  const StatusObject decided = status_of(known, steady(), {}, kNoon);
  EXPECT_EQ(decided.learned_target, std::nullopt) << "the slow brain was turned off";
}

TEST(ChangeOfAStatus, OfADecisionsWordsAndOfTheSavedStateIsMinor) {
  const StatusObject before = status_of(record(), steady(), {}, kNoon);
  StatusObject after = before;
  after.saved_state = "{}";
  after.reason = "concurrency 3.3 above target 2";
  EXPECT_EQ(change_of(before, after, false), StatusChange::kMinor);
}

struct MessageCase {
  std::string name;
  std::string type;
  std::string before;
  std::string after;
  StatusChange want;
};

class MessageTable : public testing::TestWithParam<MessageCase> {};

TEST_P(MessageTable, IsAsUrgentAsItsCause) {
  const auto status_with = [](const std::string& message) {
    StatusObject made = status_of(record(), through_activators(), {}, kNoon);
    for (Condition& each : made.conditions) {
      if (each.type == GetParam().type) each.message = message;
    }
    return made;
  };
  const StatusObject before = status_with(GetParam().before);
  const StatusObject after = status_with(GetParam().after);
  EXPECT_EQ(change_of(before, after, false), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    ChangeOfAStatus, MessageTable,
    testing::Values(MessageCase{"AnotherInvalidKey", "SettingsValid",
                                "annotation max-scale: \"abc\"", "annotation window: \"xyz\"",
                                StatusChange::kSettled},
                    MessageCase{"AnotherInvalidNumber", "SettingsValid",
                                "min-scale and max-scale: 5 and 4",
                                "min-scale and max-scale: 5 and 3", StatusChange::kSettled},
                    MessageCase{"OneKeyLess", "SettingsValid", "a: bad; b: bad", "a: bad",
                                StatusChange::kSettled},
                    MessageCase{"AnotherSettingWithoutEffect", "SettingsInEffect",
                                "drain-timeout: it stays 25s", "drain-timeout: it stays 30s",
                                StatusChange::kSettled},
                    MessageCase{"AnotherService", "ServiceFound", "Service web", "Service api",
                                StatusChange::kSettled},
                    MessageCase{"AnotherReasonOfAPath", "Routed",
                                "activators a take requests: no replica is ready",
                                "activators a take requests: little room", StatusChange::kSettled},
                    MessageCase{"AnotherActivator", "Routed", "activators a-1 take requests",
                                "activators a-2 take requests", StatusChange::kSettled},
                    MessageCase{"AnotherFailure", "Ready", "pod web-1: ImagePullBackOff",
                                "pod web-1: CrashLoopBackOff", StatusChange::kSettled},
                    MessageCase{"AMovingWait", "Ready", "pod web-1: back-off 10s restarting",
                                "pod web-1: back-off 20s restarting", StatusChange::kMinor},
                    MessageCase{"MovingNodes", "Ready", "not scheduled: 0/3 nodes are available",
                                "not scheduled: 0/4 nodes are available", StatusChange::kMinor},
                    MessageCase{"MovingReplicas", "Ready", "1 of 2 replicas are ready",
                                "2 of 2 replicas are ready", StatusChange::kMinor},
                    MessageCase{"AMovingRate", "AbleToScale", "after (1.25 s) at -3 rps",
                                "after (7.5 s) at -40 rps", StatusChange::kMinor}),
    [](const auto& case_info) { return case_info.param.name; });

}  // namespace
}  // namespace bellows::cluster
