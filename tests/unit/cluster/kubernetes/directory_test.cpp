#include "cluster/kubernetes/core/directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/cluster/kubernetes/joined.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using test::deployment;
using test::DeploymentText;
using test::kWeb;
using test::pod;
using test::PodText;
using test::revision;
using test::service;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Joined, PodsOfSeveralReplicaSetsAreOneRevision) {
  add_web();
  directory.pod_changed(nullptr, pod());
  directory.pod_changed(nullptr, pod({.name = "web-def-1",
                                      .owner = "web-def",
                                      .labels = "{'app':'web','pod-template-hash':'def'}"}));
  refresh();
  EXPECT_THAT(names(), ElementsAre("web-abc-1", "web-def-1"));
  EXPECT_EQ(list.find(kWeb)->requested, 2);
}

TEST_F(Joined, TheOrderInWhichKindsAreListedDoesNotMatter) {
  directory.pod_changed(nullptr, pod());
  directory.pod_changed(nullptr, pod({.name = "orphan", .owner = ""}));
  directory.service_changed(nullptr, service("web", "{'app':'web'}"));
  directory.target_changed(kDeployments, nullptr, deployment());
  directory.revision_changed(nullptr, revision());
  refresh();
  EXPECT_THAT(names(), ElementsAre("orphan", "web-abc-1"));
  EXPECT_EQ(list.find(kWeb)->route.host, "web.shop.svc");
}

TEST_F(Joined, PodsOfOthersAreNotReplicas) {
  add_web();
  directory.pod_changed(nullptr, pod({.name = "api-abc-1",
                                      .owner = "api-abc",
                                      .labels = "{'app':'web','pod-template-hash':'abc'}"}));
  directory.pod_changed(nullptr, pod({.name = "job", .owner = "", .labels = "{'app':'job'}"}));
  refresh();
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Joined, APodThatChangesIsReplacedAndTheOthersKeepTheirPointer) {
  add_web();
  const PodPtr first = pod();
  directory.pod_changed(nullptr, first);
  directory.pod_changed(nullptr, pod({.name = "web-abc-2"}));
  refresh();
  const RevisionPtr before = list.find(kWeb);
  directory.pod_changed(
      first, pod({.meta = ",'deletionTimestamp':'2026-11-23T01:00:08Z'", .version = "21"}));
  refresh(11s);
  const RevisionPtr after = list.find(kWeb);
  EXPECT_EQ(after->replicas[0]->phase, ReplicaPhase::kDraining);
  EXPECT_EQ(after->replicas[1], before->replicas[1]);
}

TEST_F(Joined, AWallClockThatJumpsDoesNotMoveTheStartOfAPod) {
  add_web();
  const PodPtr first = pod();
  directory.pod_changed(nullptr, first);
  refresh();
  const TimePoint ordered = list.find(kWeb)->replicas[0]->start.ordered;
  directory.pod_changed(first, pod({.version = "21"}));
  const WallTime wall =
      WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 1h + 10s + 300ms);
  directory.refresh({.now = TimePoint(110s), .wall = wall});
  EXPECT_EQ(directory.find(kWeb)->members.at("web-abc-1").replica->start.ordered, ordered);
}

TEST_F(Joined, APodWhoseProbeFailedForAWhileHasStartedOnce) {
  add_web();
  PodPtr before;
  for (const std::string ready : {"True','lastTransitionTime':'2026-11-23T01:00:05Z",
                                  "False','lastTransitionTime':'2026-11-23T01:00:30Z",
                                  "True','lastTransitionTime':'2026-11-23T01:00:42Z"}) {
    const PodPtr after =
        pod({.status = "{'conditions':[{'type':'Ready','status':'" + ready + "'}]}"});
    directory.pod_changed(std::exchange(before, after), after);
    refresh(43s);
    const StartTimes start = list.find(kWeb)->replicas[0]->start;
    EXPECT_EQ(*start.ready - start.ordered, 5s) << ready;
  }
}

TEST_F(Joined, APodEventTouchesItsRevisionOnly) {
  add_web();
  directory.revision_changed(nullptr, revision("api", {}, "{}", "api"));
  directory.target_changed(kDeployments, nullptr, deployment({.name = "api", .uid = "uid-api"}));
  refresh();
  directory.pod_changed(nullptr, pod());
  const Directory::Joined joined = refresh(11s);
  ASSERT_EQ(joined.revisions.size(), 1U);
  EXPECT_EQ(joined.revisions[0]->id, kWeb);
}

TEST_F(Joined, APodThatIsLateFailsByItself) {
  add_web({.annotations = "{'bellows.dev/progress-deadline':'30s'}"});
  directory.pod_changed(nullptr, pod({.status = "{'phase':'Pending'}"}));
  refresh();
  EXPECT_EQ(directory.next_deadline(), TimePoint(130s));
  refresh(31s);
  EXPECT_EQ(list.find(kWeb)->replicas[0]->phase, ReplicaPhase::kFailed);
  EXPECT_EQ(list.find(kWeb)->failure_message, "pod web-abc-1: not ready within 30s");
  EXPECT_EQ(directory.next_deadline(), std::nullopt);
}

TEST_F(Joined, AReplicaThatCannotBeMadeIsTheFailureOfTheRevision) {
  add_web({.conditions = "[{'type':'ReplicaFailure','status':'True','reason':'FailedCreate',"
                         "'message':'exceeded quota: pods'}]"});
  refresh();
  EXPECT_EQ(list.find(kWeb)->failure_message, "Deployment web: exceeded quota: pods");
}

TEST_F(Joined, OneReplicaThatIsNotFailedMeansNoFailureOfTheRevision) {
  add_web();
  directory.pod_changed(nullptr, pod());
  directory.pod_changed(
      nullptr, pod({.name = "web-abc-2",
                    .status = "{'phase':'Running','containerStatuses':[{'name':'app','state':"
                              "{'waiting':{'reason':'CrashLoopBackOff'}}}]}"}));
  refresh();
  EXPECT_EQ(list.find(kWeb)->failure_message, "");
}

TEST_F(Joined, NothingIsListedBeforeTheKindOfItsTargetIs) {
  Directory fresh;
  fresh.revision_changed(nullptr, revision());
  EXPECT_THAT(fresh.refresh({}).revisions, IsEmpty());
  fresh.kind_known(kDeployments, {});
  EXPECT_EQ(fresh.refresh({}).revisions.size(), 1U);
}

TEST_F(Joined, AMissingTargetIsNamedAndNothingIsScaled) {
  directory.revision_changed(nullptr, revision());
  refresh();
  EXPECT_EQ(reasons(), kTargetNotFound);
  EXPECT_EQ(message(kTargetNotFound), "Deployment web does not exist in namespace shop");
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kPaused);
  directory.target_changed(kDeployments, nullptr, deployment());
  refresh();
  EXPECT_EQ(reasons(), "");
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kActive);
}

TEST_F(Joined, AKindThatCannotBeScaledIsNamed) {
  directory.kind_known("batch/Job", "the server has no kind Job with the subresource scale");
  directory.revision_changed(
      nullptr, test::object<RevisionObject>(
                   "{'metadata':{'namespace':'shop','name':'job','uid':'u'},'spec':"
                   "{'scaleTargetRef':{'apiVersion':'batch/v1','kind':'Job','name':'job'}}}"));
  refresh();
  EXPECT_EQ(reasons(RevisionId("shop/job")), kTargetNotScalable);
}

TEST_F(Joined, TwoRevisionsOfOneTargetBothHaveAFinding) {
  add_web();
  directory.revision_changed(nullptr, revision("second"));
  refresh();
  EXPECT_EQ(message(kTwoRevisions),
            "Revision shop/second has the same target, Deployment web; want one");
  EXPECT_EQ(reasons(RevisionId("shop/second")), kTwoRevisions);
  directory.revision_changed(revision("second"), nullptr);
  refresh();
  EXPECT_EQ(reasons(), "");
}

OtherScaler scaler(const std::string& kind, const std::string& name,
                   const std::string& made_by = {}) {
  return {.kind = kind,
          .ns = "shop",
          .name = name,
          .target = "apps/Deployment shop/web",
          .min = 2,
          .made_by = made_by};
}

TEST_F(Joined, AnotherAutoscalerOfTheTargetIsNamedAndNothingIsScaled) {
  add_web();
  directory.scaler_changed(std::nullopt, scaler("HorizontalPodAutoscaler", "web-hpa"));
  refresh();
  EXPECT_EQ(message(kOtherAutoscaler),
            "HorizontalPodAutoscaler web-hpa scales Deployment web too; nothing is written, so "
            "remove one of them, or set spec.with to hpa");
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kPaused);
  directory.scaler_changed(scaler("HorizontalPodAutoscaler", "web-hpa"), std::nullopt);
  refresh();
  EXPECT_EQ(reasons(), "");
}

TEST_F(Joined, AScaledObjectIsNamedAndNotTheHorizontalPodAutoscalerThatItMade) {
  add_web();
  directory.scaler_changed(std::nullopt, scaler("ScaledObject", "web"));
  directory.scaler_changed(std::nullopt, scaler("HorizontalPodAutoscaler", "keda-hpa-web", "web"));
  refresh();
  EXPECT_EQ(reasons(), kOtherAutoscaler);
  EXPECT_THAT(message(kOtherAutoscaler), HasSubstr("ScaledObject web scales"));
}

TEST_F(Joined, WithAHorizontalPodAutoscalerByAgreementNothingIsWrong) {
  directory.revision_changed(nullptr, revision("web", "'with':'hpa'"));
  directory.target_changed(kDeployments, nullptr, deployment());
  directory.scaler_changed(std::nullopt, scaler("HorizontalPodAutoscaler", "web-hpa"));
  refresh();
  EXPECT_EQ(reasons(), "");
  EXPECT_EQ(directory.find(kWeb)->shared_with->min, 2);
}

TEST_F(Joined, BesideAHorizontalPodAutoscalerANumberHasNoEffect) {
  directory.revision_changed(nullptr, revision("web", "'with':'hpa'"));
  directory.target_changed(kDeployments, nullptr,
                           deployment({.annotations = "{'bellows.dev/max-scale':'7'}"}));
  refresh();
  EXPECT_THAT(idle(), ElementsAre("max-scale"));
  directory.revision_changed(revision("web", "'with':'hpa'"), revision("web"));
  refresh();
  EXPECT_THAT(idle(), IsEmpty());
}

TEST_F(Joined, AFallbackServiceThatIsNoRevisionIsNamedUntilItIsThere) {
  add_web({.annotations = "{'bellows.dev/fallback-service':'other'}"});
  refresh();
  EXPECT_THAT(idle(), ElementsAre("fallback-service"));
  const auto other = revision("other", {}, "{}", "other");
  directory.revision_changed(nullptr, other);
  refresh();
  EXPECT_THAT(idle(), IsEmpty());
  directory.revision_changed(other, nullptr);
  refresh();
  EXPECT_THAT(idle(), ElementsAre("fallback-service"));
}

TEST_F(Joined, SettingsOfActivatorsAloneAreKnown) {
  add_web({.annotations = "{'bellows.dev/session-affinity':'cookie',"
                          "'bellows.dev/target-burst-capacity':'-1'}"});
  refresh();
  const Standing standing = directory.find(kWeb)->standing();
  EXPECT_THAT(standing.of_activators.always, ElementsAre("session-affinity"));
  EXPECT_TRUE(standing.keeps_activators);
}

TEST_F(Joined, SettingsThatTheDecidersRefuseAreInvalid) {
  directory = Directory([](const config::RevisionSettings& settings) -> Result<void> {
    if (settings.policy.empty()) return {};
    return fail(ErrorKind::kMalformed, "policy", "\"" + settings.policy + "\": want others");
  });
  directory.kind_known(kDeployments, {});
  const DeploymentText good{.annotations = "{'bellows.dev/target':'7'}"};
  add_web(good);
  refresh();
  directory.target_changed(
      kDeployments, deployment(good),
      deployment({.annotations = "{'bellows.dev/target':'8','bellows.dev/policy':'best'}"}));
  refresh();
  EXPECT_EQ(list.find(kWeb)->settings.target, 7) << "the last good ones";
  EXPECT_THAT(message(kConfigInvalid),
              HasSubstr("Deployment web, annotation bellows.dev/policy: \"best\": want others"));
}

TEST_F(Joined, InvalidSettingsLeaveTheLastGoodOnesInForce) {
  const DeploymentText good{.annotations = "{'bellows.dev/target':'7'}"};
  add_web(good);
  refresh();
  directory.target_changed(kDeployments, deployment(good),
                           deployment({.annotations = "{'bellows.dev/target':'many'}"}));
  refresh();
  EXPECT_EQ(list.find(kWeb)->settings.target, 7);
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kActive);
  EXPECT_EQ(message(kConfigInvalid),
            "Deployment web, annotation bellows.dev/target: \"many\": want a number from 0.01 to "
            "1000000000; the "
            "last valid settings stay in force");
}

TEST_F(Joined, InvalidSettingsAfterARestartLeaveThoseOfTheStatusInForce) {
  directory.revision_changed(
      nullptr, revision("web", "'scaling':{'minScale':-1}", "{'settings':{'target':'7'}}"));
  directory.target_changed(kDeployments, nullptr, deployment());
  refresh();
  EXPECT_EQ(list.find(kWeb)->settings.target, 7);
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kActive);
}

TEST_F(Joined, WithoutEverHavingHadGoodSettingsNothingIsScaled) {
  directory.revision_changed(nullptr, revision("web", "'scaling':{'minScale':-1}"));
  directory.target_changed(kDeployments, nullptr, deployment());
  refresh();
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kPaused);
  EXPECT_THAT(message(kConfigInvalid), HasSubstr("nothing is scaled before they are valid"));
}

TEST_F(Joined, APortThatIsNoneIsASettingProblem) {
  add_web({.annotations = "{'bellows.dev/port':'http'}"});
  refresh();
  EXPECT_THAT(message(kConfigInvalid),
              HasSubstr("annotation bellows.dev/port: \"http\": want a port from 1 to 65535"));
}

TEST_F(Joined, TheServiceIsTheOneWhoseSelectorTakesThePods) {
  add_web();
  directory.service_changed(nullptr, service("other", "{'app':'api'}"));
  directory.service_changed(nullptr, service("made-by-hand", "{}"));
  directory.service_changed(nullptr, service("shop", "{'app':'web','tier':'front'}"));
  refresh();
  EXPECT_EQ(directory.find(kWeb)->service, "shop");
}

TEST_F(Joined, TwoServicesThatFitAreNamedUntilOneIsChosen) {
  add_web();
  directory.service_changed(nullptr, service("a", "{'app':'web'}"));
  directory.service_changed(nullptr, service("b", "{'tier':'front'}"));
  refresh();
  EXPECT_THAT(message(kServiceAmbiguous),
              HasSubstr("Services a and b select the pods of Deployment web"));
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kActive) << "scaling needs no Service";
  directory.target_changed(kDeployments, deployment(),
                           deployment({.annotations = "{'bellows.dev/service':'b'}"}));
  refresh();
  EXPECT_EQ(directory.find(kWeb)->service, "b");
  EXPECT_EQ(reasons(), "");
}

TEST_F(Joined, ANamedServiceThatIsMissingIsTold) {
  directory.revision_changed(nullptr, revision("web", "'serviceName':'shop'"));
  directory.target_changed(kDeployments, nullptr, deployment());
  refresh();
  EXPECT_EQ(message(kServiceNotFound), "Service shop does not exist");
  directory.service_changed(nullptr, service("shop", "{'app':'elsewhere'}"));
  refresh();
  EXPECT_EQ(directory.find(kWeb)->service, "shop");
}

TEST_F(Joined, ARevisionThatGoesIsRemovedAndItsPodsWaitForTheNext) {
  add_web();
  directory.pod_changed(nullptr, pod());
  refresh();
  directory.revision_changed(revision(), nullptr);
  EXPECT_THAT(refresh().removed, ElementsAre(kWeb));
  directory.revision_changed(nullptr, revision());
  refresh();
  EXPECT_THAT(names(), ElementsAre("web-abc-1"));
}

TEST_F(Joined, ARevisionThatGetsAnotherTargetLosesTheFirstOnesPods) {
  add_web();
  directory.pod_changed(nullptr, pod());
  refresh();
  directory.revision_changed(revision(), revision("web", {}, "{}", "api"));
  refresh();
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(reasons(), kTargetNotFound);
}

TEST_F(Joined, TheStateOfTheStatusComesBack) {
  directory.revision_changed(nullptr, revision("web", "'state':'Paused'",
                                               "{'savedState':'{\\'at\\':1}','learnedTarget':38}"));
  directory.target_changed(kDeployments, nullptr, deployment());
  refresh();
  EXPECT_EQ(list.find(kWeb)->saved_state, "{\"at\":1}");
  EXPECT_EQ(list.find(kWeb)->learned_target, 38.0);
  EXPECT_EQ(list.find(kWeb)->state, RevisionState::kPaused);
}

}  // namespace
}  // namespace bellows::cluster
