#include "cluster/kubernetes/core/pod_replica.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using test::pod;
using test::PodText;
using testing::HasSubstr;

/// 2026-11-23T01:00:00Z, when the pods are created, is 100 s on the monotonic clock.
const WallTime kCreated = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 1h);

Clocks after_creation(Duration age) {
  return {.now = TimePoint(100s + age), .wall = kCreated + age};
}

PodReplica replica(const PodText& text, Duration age = 10s) {
  return replica_of(*pod(text), std::nullopt, 60s, after_creation(age));
}

/// An app that was not ready at any time, or not since `lost`.
std::string container_status(const std::string& state, int restarts = 3,
                             const std::string& lost = {}) {
  const std::string since = lost.empty() ? "" : ",'lastTransitionTime':'" + lost + "'";
  return "{'phase':'Running','conditions':[{'type':'Ready','status':'False'" + since +
         "}],'containerStatuses':[{'name':'app','restartCount':" + std::to_string(restarts) + "," +
         state + "}]}";
}

std::string containers(const std::string& app, const std::string& other = "") {
  return "{'nodeName':'n','containers':[{'name':'app','resources':{'requests':{" + app +
         "}}},{'name':'queue-proxy','resources':{'requests':{'cpu':'1','memory':'1Gi'}}}" +
         (other.empty() ? "" : ",{'name':'log','resources':{'requests':{" + other + "}}}") + "]}";
}

TEST(SizeOfAPod, IsTheSumOfRequestsWithoutTheQueueProxy) {
  const auto size_of = [](const std::string& spec) { return replica({.spec = spec}).replica.size; };
  EXPECT_TRUE(size_of(containers("")).empty());
  const ReplicaSize both =
      size_of(containers("'cpu':'250m','memory':'64Mi'", "'cpu':'0.05','memory':'64Mi'"));
  EXPECT_EQ(both.cpu, Millicores{300});
  EXPECT_EQ(both.memory, mebibytes(128));
  const ReplicaSize partly = size_of(containers("'cpu':'250m','memory':'64Mi'", "'cpu':'50m'"));
  EXPECT_EQ(partly.cpu, Millicores{300});
  EXPECT_EQ(partly.memory, std::nullopt) << "container log requests none";
}

struct PhaseCase {
  std::string name;
  PodText pod;
  ReplicaPhase phase;
  std::string failure;  ///< a part of it; empty: none
};

class PhaseOfAPod : public testing::TestWithParam<PhaseCase> {};

TEST_P(PhaseOfAPod, IsThatOfItsReplica) {
  const Replica got = replica(GetParam().pod).replica;
  EXPECT_EQ(to_string(got.phase), to_string(GetParam().phase));
  if (GetParam().failure.empty()) {
    EXPECT_EQ(got.failure_message, "");
  } else {
    EXPECT_THAT(got.failure_message, HasSubstr(GetParam().failure));
    EXPECT_THAT(got.failure_message, testing::StartsWith("pod web-abc-1: "));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, PhaseOfAPod,
    testing::Values(
        PhaseCase{"Ready", {}, ReplicaPhase::kReady, ""},
        PhaseCase{"NotScheduled",
                  {.spec = "{'containers':[{'name':'app'}]}",
                   .status = "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':"
                             "'False','reason':'Unschedulable','message':'0/3 nodes are "
                             "available'}]}"},
                  ReplicaPhase::kPending,
                  "not scheduled: 0/3 nodes are available"},
        PhaseCase{"OnANodeWithoutAContainer",
                  {.status = "{'phase':'Pending'}"},
                  ReplicaPhase::kPending,
                  ""},
        PhaseCase{
            "ContainerIsMade",
            {.status = container_status("'state':{'waiting':{'reason':'ContainerCreating'}}")},
            ReplicaPhase::kPending,
            ""},
        PhaseCase{"ContainerRuns",
                  {.status = container_status(
                       "'state':{'running':{'startedAt':'2026-11-23T01:00:03Z'}}")},
                  ReplicaPhase::kStarting,
                  ""},
        PhaseCase{"ImageCannotBePulled",
                  {.status = container_status("'state':{'waiting':{'reason':'ImagePullBackOff',"
                                              "'message':'Back-off pulling image x:1'}}")},
                  ReplicaPhase::kFailed,
                  "container app: ImagePullBackOff: Back-off pulling image x:1"},
        PhaseCase{"CrashLoop",
                  {.status = container_status(
                       "'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off "
                       "10s'}},'lastState':{'terminated':{'exitCode':137,'reason':'OOMKilled'}}")},
                  ReplicaPhase::kFailed,
                  "container app: CrashLoopBackOff: back-off 10s; it ended with code 137 "
                  "(OOMKilled)"},
        PhaseCase{"Crashed",
                  {.status = container_status("'state':{'terminated':{'exitCode':1}}")},
                  ReplicaPhase::kFailed,
                  "container app: it ended with code 1"},
        PhaseCase{"CrashedForTheSecondTime",
                  {.status = container_status("'state':{'terminated':{'exitCode':1}}", 1)},
                  ReplicaPhase::kPending,
                  ""},
        PhaseCase{"InitContainerCrashed",
                  {.status = "{'phase':'Pending','initContainerStatuses':[{'name':'setup',"
                             "'restartCount':2,'state':{'terminated':{'exitCode':2}}}]}"},
                  ReplicaPhase::kFailed,
                  "container setup: it ended with code 2"},
        PhaseCase{"Terminating",
                  {.meta = ",'deletionTimestamp':'2026-11-23T01:00:08Z'"},
                  ReplicaPhase::kDraining,
                  ""},
        PhaseCase{"Evicted",
                  {.status = "{'phase':'Failed','reason':'Evicted','message':'The node was low on "
                             "memory'}"},
                  ReplicaPhase::kGone,
                  ""},
        PhaseCase{"Succeeded", {.status = "{'phase':'Succeeded'}"}, ReplicaPhase::kGone, ""},
        PhaseCase{"EvictedAndTerminating",
                  {.meta = ",'deletionTimestamp':'2026-11-23T01:00:08Z'",
                   .status = "{'phase':'Failed','reason':'Evicted'}"},
                  ReplicaPhase::kGone,
                  ""}),
    [](const auto& case_info) { return case_info.param.name; });

TEST(ReplicaOfAPod, ThatIsNotReadyInTimeHasFailed) {
  const PodText starting{
      .status = container_status("'state':{'running':{'startedAt':'2026-11-23T01:00:03Z'}}")};
  const PodReplica early = replica(starting, 59s);
  EXPECT_EQ(early.replica.phase, ReplicaPhase::kStarting);
  EXPECT_EQ(early.deadline, TimePoint(160s));
  const PodReplica late = replica(starting, 60s);
  EXPECT_EQ(late.replica.phase, ReplicaPhase::kFailed);
  EXPECT_EQ(late.replica.failure_message, "pod web-abc-1: not ready within 1m");
  EXPECT_EQ(late.deadline, std::nullopt);
}

TEST(ReplicaOfAPod, ThatCannotBeScheduledInTimeHasFailedWithTheSchedulersWords) {
  const PodReplica late =
      replica({.spec = "{'containers':[{'name':'app'}]}",
               .status = "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
                         "'message':'no node'}]}"},
              2min);
  EXPECT_EQ(late.replica.phase, ReplicaPhase::kFailed);
  EXPECT_EQ(late.replica.failure_message, "pod web-abc-1: not scheduled: no node");
}

/// A pod that is Ready since second 5 and whose app runs since second 6.
Replica ready_replica(const std::string& proxy_restarts) {
  return replica({.status = "{'phase':'Running','podIP':'10.0.0.1','conditions':[{'type':'Ready',"
                            "'status':'True','lastTransitionTime':'2026-11-23T01:00:05Z'}],"
                            "'containerStatuses':[{'name':'app','restartCount':2,'state':{'running'"
                            ":{'startedAt':'2026-11-23T01:00:06Z'}}},{'name':'queue-proxy',"
                            "'restartCount':" +
                            proxy_restarts +
                            ",'state':{'running':{'startedAt':'2026-11-23T01:00:09Z'}}}]}"})
      .replica;
}

TEST(ReplicaOfAPod, ItsStepsAreTimesOfOurClockInTheirOrder) {
  const Replica got = ready_replica("0");
  EXPECT_EQ(got.start.ordered, TimePoint(100s));
  EXPECT_EQ(got.start.process_started, TimePoint(106s));
  EXPECT_EQ(got.start.ready, TimePoint(106s)) << "never before the process";
}

TEST(ReplicaOfAPod, WhoseQueueProxyWasRestartedHasBeenReadyAtAnUnknownTime) {
  const Replica got = ready_replica("9");
  EXPECT_EQ(got.phase, ReplicaPhase::kReady);
  EXPECT_EQ(got.start.ready, std::nullopt);
  EXPECT_EQ(got.restarts, 2) << "of the app, not of the queue-proxy";
}

TEST(ReplicaOfAPod, WhoseNativeSidecarWasRestartedToo) {
  const Replica got =
      replica({.status = "{'phase':'Running','podIP':'10.0.0.1','conditions':[{'type':'Ready',"
                         "'status':'True','lastTransitionTime':'2026-11-23T01:00:05Z'}],"
                         "'initContainerStatuses':[{'name':'queue-proxy','restartCount':1}]}"})
          .replica;
  EXPECT_EQ(got.phase, ReplicaPhase::kReady);
  EXPECT_EQ(got.start.ready, std::nullopt);
}

TEST(ReplicaOfAPod, ThatWasReadyHasTheWholeTimeAgainAfterACrash) {
  const PodText crashed{.status = container_status("'state':{'terminated':{'exitCode':137}}", 0,
                                                   "2026-11-23T01:10:00Z")};
  const PodReplica again = replica(crashed, 601s);
  EXPECT_EQ(again.replica.phase, ReplicaPhase::kPending) << "the kubelet restarts it at once";
  EXPECT_EQ(again.replica.failure_message, "");
  EXPECT_EQ(again.deadline, TimePoint(760s));
  EXPECT_EQ(replica(crashed, 660s).replica.phase, ReplicaPhase::kFailed);
}

struct PortCase {
  std::string name;
  std::string containers;
  std::optional<std::uint16_t> asked;
  std::uint16_t want;
};

class PortOfAPod : public testing::TestWithParam<PortCase> {};

TEST_P(PortOfAPod, IsWhereItTakesRequests) {
  const auto made = pod({.spec = "{'nodeName':'n','containers':" + GetParam().containers + "}"});
  const Replica got = replica_of(*made, GetParam().asked, 60s, after_creation(10s)).replica;
  EXPECT_EQ(to_string(got.address), "10.0.0.1:" + std::to_string(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Table, PortOfAPod,
    testing::Values(
        PortCase{"Default", "[{'name':'app','ports':[{'containerPort':80}]}]", std::nullopt, 8012},
        PortCase{"NamedByTheQueueProxy",
                 "[{'name':'queue-proxy','ports':[{'name':'http-queueadm','containerPort':8022},"
                 "{'name':'queue-port','containerPort':9012}]}]",
                 std::nullopt, 9012},
        PortCase{"NamedByAnotherContainer",
                 "[{'name':'app','ports':[{'name':'queue-port','containerPort':9012}]}]",
                 std::nullopt, 8012},
        PortCase{"Asked",
                 "[{'name':'queue-proxy','ports':[{'name':'queue-port','containerPort':9012}]}]",
                 80, 80}),
    [](const auto& case_info) { return case_info.param.name; });

TEST(ReplicaOfAPod, WithoutAnAddressHasNone) {
  EXPECT_TRUE(replica({.status = "{'phase':'Pending'}"}).replica.address.empty());
}

TEST(OwnerOfAPod, IsKnownFromItsControllerAndHash) {
  EXPECT_EQ(owner_key(*pod()), "apps/Deployment shop/web");
  EXPECT_EQ(owner_key(*pod({.owner = "web-abd"})), "") << "another hash: a bare ReplicaSet";
  EXPECT_EQ(owner_key(*pod({.labels = "{'app':'web'}"})), "");
  EXPECT_EQ(owner_key(*pod({.owner = ""})), "");
}

}  // namespace
}  // namespace bellows::cluster
