#include "kubernetes/core/pod.hpp"

#include <gtest/gtest.h>

#include "base/timestamp_text.hpp"
#include "tests/support/sample_objects.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

TEST(Pod, ARunningPodOfRealSize) {
  const auto pod = read_object<Pod>(test::pod_json({}));
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(object_key(pod->meta), "shop/checkout-service-6d5f9c7b54-x2x9z");
  EXPECT_EQ(pod->meta.labels.get("app"), "checkout-service");
  EXPECT_TRUE(pod->meta.annotations.empty()) << "a pod's annotations are not kept";
  ASSERT_NE(pod->meta.controller(), nullptr);
  EXPECT_EQ(pod->meta.controller()->kind, "ReplicaSet");
  EXPECT_EQ(pod->phase, PodPhase::kRunning);
  EXPECT_TRUE(pod->is_ready());
  EXPECT_EQ(pod->pod_ip, "10.244.3.17");
  EXPECT_EQ(pod->node_name, "worker-17.example");
  EXPECT_EQ(pod->conditions.size(), 3U) << "Initialized is not kept";
  ASSERT_EQ(pod->containers.size(), 2U);
  EXPECT_EQ(pod->containers.front().requests.get("cpu"), "250m");
  ASSERT_FALSE(pod->container_statuses.empty());
  EXPECT_EQ(pod->container_statuses.front().running_since, parse_timestamp("2026-11-20T09:00:04Z"));
}

TEST(Pod, WhyAPodDoesNotRun) {
  const auto pod = read_object<Pod>(
      "{'metadata':{'name':'a','namespace':'n','deletionTimestamp':'2026-11-20T09:00:30Z'},"
      "'status':{'phase':'Pending','reason':'Evicted','message':'low on memory','conditions':["
      "{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'0/3 nodes'}],"
      "'initContainerStatuses':[{'name':'init','restartCount':3,'state':{'waiting':{'reason':"
      "'CrashLoopBackOff','message':'back-off 40s'}},'lastState':{'terminated':{'exitCode':137,"
      "'signal':9,'reason':'OOMKilled','finishedAt':'2026-11-20T09:00:10Z'}}}]}}");
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_TRUE(pod->meta.deleted.has_value());
  EXPECT_FALSE(pod->is_ready());
  EXPECT_EQ(pod->reason, "Evicted");
  EXPECT_EQ(pod->condition("PodScheduled")->message, "0/3 nodes");
  const ContainerStatus& init = pod->init_container_statuses.at(0);
  EXPECT_EQ(init.restart_count, 3);
  EXPECT_EQ(init.waiting->reason, "CrashLoopBackOff");
  EXPECT_EQ(init.last_termination->exit_code, 137);
  EXPECT_EQ(init.last_termination->signal, 9);
  EXPECT_FALSE(init.terminated);
}

TEST(Pod, TheLastWordsOfAnAppDriveNoTerminal) {
  const auto pod = read_object<Pod>(
      "{'metadata':{'name':'a'},'status':{'message':'\\u001b[2J','containerStatuses':[{'name':'app'"
      ","
      "'state':{'waiting':{'message':'\\u001b]0;x\\u0007'}},"
      "'lastState':{'terminated':{'message':'all is\\r\\nwell\\u009b1A'}}}]}}");
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(pod->message, R"(\x1b[2J)");
  const ContainerStatus& app = pod->container_statuses.at(0);
  EXPECT_EQ(app.waiting->message, R"(\x1b]0;x\x07)");
  EXPECT_EQ(app.last_termination->message, R"(all is\x0d\x0awell\xc2\x9b1A)");
}

TEST(Pod, MissingAndNullMembersHaveTheirDefaults) {
  const auto pod =
      read_object<Pod>("{'metadata':{'name':'a','labels':null},'spec':null,'status':{}}");
  ASSERT_TRUE(pod) << error_of(pod);
  EXPECT_EQ(pod->phase, PodPhase::kUnknown);
  EXPECT_TRUE(pod->meta.labels.empty());
}

struct WrongType {
  const char* object;
  const char* error;
};

TEST(Pod, AWrongTypeNamesObjectFieldValueAndWhatIsWanted) {
  const WrongType cases[] = {
      {"{'metadata':{'name':'a','namespace':'n'},'status':{'containerStatuses':[{'name':'x'},"
       "{'restartCount':'many'}]}}",
       "Pod n/a: status.containerStatuses[1].restartCount: \"many\": want an integer"},
      {"{'metadata':{'name':'a'},'status':{'conditions':{}}}",
       "Pod a: status.conditions: an object: want a list"},
      {"{'metadata':{'name':'a'},'status':'up'}", "Pod a: status: \"up\": want an object"},
      {"{'metadata':{'name':'a','labels':{'x':1}}}", "Pod a: metadata.labels.x: 1: want a text"},
      {"{'metadata':{'name':'a','creationTimestamp':'yesterday'}}",
       "Pod a: metadata.creationTimestamp: \"yesterday\": want a time such as "
       "\"2026-01-01T00:00:00Z\""},
      {"{'metadata':{'name':'a'},'spec':{'containers':[{'ports':[{'containerPort':70000}]}]}}",
       "Pod a: spec.containers[0].ports[0].containerPort: 70000: want a port from 1 to 65535"},
      {"{'metadata':{}}", "Pod: metadata.name: missing: want a text that is not empty"},
      {"{'spec':{}}", "Pod: metadata.name: missing: want a text that is not empty"},
      {"{'metadata':{'name':'a'},'status':{'containerStatuses':[{'restartCount':3000000000}]}}",
       "Pod a: status.containerStatuses[0].restartCount: 3000000000: want an integer of 32 bits"},
      {"{'metadata':{'name':'a'},'status':{'containerStatuses':[7]}}",
       "Pod a: status.containerStatuses: a list: want a list of objects only"},
  };
  for (const WrongType& one : cases) {
    EXPECT_EQ(error_of(read_object<Pod>(one.object)), one.error);
  }
}

}  // namespace
}  // namespace bellows::kubernetes
