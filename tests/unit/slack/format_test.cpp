// Lists in, plans and objects out; and input that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "json/object.hpp"
#include "slack/format/csv_lists.hpp"
#include "slack/format/kube_list.hpp"
#include "slack/format/objects_yaml.hpp"
#include "slack/format/plan_json.hpp"
#include "slack/format/report_text.hpp"
#include "slack/format/revisions.hpp"
#include "slack/format/state_json.hpp"
#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

using testing::HasSubstr;

constexpr std::string_view kNodes = R"(name,type,cpu_millicores,memory_bytes,pods,ready,labels
n1,m,4000,17179869184,110,true,zone=a;disk=ssd
n2,m,4000,17179869184,110,true,zone=b
)";
constexpr std::string_view kPods = R"(name,owner,node,cpu_millicores,memory_bytes,labels,annotations
default/web-1,web,n1,1000,1073741824,app=web,
default/web-2,web,,1000,1073741824,app=web,slack.bellows.dev/mirror=2
)";

/// A list of kubectl in one chunk.
Result<Snapshot> read_kube_list(std::string_view text) {
  KubeListReader reader({"list", ""});
  BELLOWS_CHECKED(reader.feed(text));
  return reader.finish();
}

/// A planner with both files, or the error.
Result<std::unique_ptr<Planner>> planned(std::string_view nodes, std::string_view pods,
                                         std::vector<Unmet>* problems = nullptr) {
  Snapshot snapshot;
  BELLOWS_TRY(snapshot.nodes, read_nodes({"nodes.csv", std::string(nodes)}));
  BELLOWS_TRY(snapshot.pods, read_pods({"pods.csv", std::string(pods)}));
  auto planner = std::make_unique<Planner>(rate(100000));
  BELLOWS_CHECKED(load(snapshot, {}, *planner));
  if (problems != nullptr) *problems = snapshot.problems;
  return planner;
}

std::string error_of(std::string_view nodes, std::string_view pods) {
  const auto result = planned(nodes, pods);
  return result ? "no error" : to_string(result.error());
}

TEST(Csv, IsPlanned) {
  auto planner = planned(kNodes, kPods);
  ASSERT_TRUE(planner) << to_string(planner.error());
  const std::string text = plan_json((*planner)->loop());
  const auto plan = json::parse(text);
  ASSERT_TRUE(plan);
  const auto placeholders = plan->objects("placeholders");
  ASSERT_TRUE(placeholders);
  ASSERT_EQ(placeholders->size(), 2U);
  EXPECT_EQ(placeholders->front().text("shape").value(), "standard");
  EXPECT_EQ(placeholders->front().integer("cpu-millicores", 0, 9999).value(), 800);
  EXPECT_EQ(placeholders->front().integer("count", 0, 9999).value(), 1);
  EXPECT_EQ(plan->object("desired").value().integer("cpu-millicores", 0, 9999).value(), 800);
}

TEST(Csv, ErrorsNameFileLineColumnAndValue) {
  EXPECT_THAT(error_of("n1,m,-5,1,1,true\n", ""), HasSubstr("nodes.csv:1: cpu_millicores: \"-5\""));
  EXPECT_THAT(error_of("n1,m,5,1,1,maybe\n", ""),
              HasSubstr("nodes.csv:1: ready: \"maybe\": want true or false"));
  EXPECT_THAT(error_of("n1,m,5\n", ""), HasSubstr("nodes.csv:1: line: \"3 fields\""));
  EXPECT_THAT(error_of("n1,m,5,1,1,true,oops\n", ""), HasSubstr("labels: \"oops\""));
  EXPECT_THAT(error_of("n1,m,5,1,1,true\nn1,m,5,1,1,true\n", ""),
              HasSubstr("node n1: name: \"n1\" occurs twice"));
  EXPECT_THAT(error_of("n1,m,5,1,1,true\n", "a,b,,1,1\na,b,,1,1\n"),
              HasSubstr("pod a: name: \"a\" occurs twice"));
  EXPECT_THAT(error_of("n1,m,5,1,1,true\n", "a,b,,1,1,,slack.bellows.dev/mirror=lots\n"),
              HasSubstr("pods.csv:1: slack.bellows.dev/mirror: \"lots\""));
}

TEST(Plan, ThatHasAnErrorScalesNothing) {
  std::vector<Unmet> problems;
  auto planner = planned("n1,m,0,1000000000,110,true\nn2,m,4000,1000000000,110,true\n",
                         "a,b,,3000,500000000\na2,b,,3000,500000000\n", &problems);
  ASSERT_TRUE(planner);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].object, "node n1");
  EXPECT_EQ(problems[0].field, "cpu");
  Plan plan = (*planner)->loop();
  plan.ordered_now = {{"m", 3}};
  plan.scale_down = {"n2"};
  plan.unmet = problems;
  EXPECT_TRUE(has_error(plan));
  EXPECT_THAT(plan_json(plan), HasSubstr(R"("scale-up":[],"scale-down":[])"));
}

TEST(State, ASecondCallMovesNothing) {
  auto first = planned(kNodes, kPods);
  ASSERT_TRUE(first);
  const Plan before = (*first)->loop();
  const std::string saved = state_json((*first)->save());
  auto second = planned(kNodes, kPods);
  ASSERT_TRUE(second);
  const auto state = read_state(saved, "state");
  ASSERT_TRUE(state) << to_string(state.error());
  (*second)->restore(*state);
  const Plan after = (*second)->loop();
  EXPECT_EQ(after.placeholders, before.placeholders);
  EXPECT_EQ(state_json((*second)->save()), saved);
}

TEST(State, OfAnotherVersionOrCutShortIsAnError) {
  auto planner = planned(kNodes, kPods);
  ASSERT_TRUE(planner);
  (*planner)->loop();
  const std::string saved = state_json((*planner)->save());
  for (std::size_t length = 0; length + 2 < saved.size(); ++length)
    EXPECT_FALSE(read_state(saved.substr(0, length), "state")) << length;
  const auto other = read_state(R"({"version":2})", "state");
  ASSERT_FALSE(other);
  EXPECT_THAT(to_string(other.error()), HasSubstr("version"));
  EXPECT_THAT(to_string(other.error()), HasSubstr("want 1"));
}

constexpr std::string_view kList = R"({"apiVersion":"v1","kind":"List","items":[
{"kind":"Node","metadata":{"name":"n1","labels":{"kubernetes.io/hostname":"n1","disk":"ssd",
  "node.kubernetes.io/instance-type":"m5.xlarge"}},"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]},
 "status":{"allocatable":{"cpu":"3920m","memory":"15842124Ki","pods":"58"},
  "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]}},
{"kind":"Pod","metadata":{"name":"web-7d4b9-x1","namespace":"shop","labels":{"app":"web","pod-template-hash":"7d4b9"},
  "annotations":{"slack.bellows.dev/mirror":"3"},
  "ownerReferences":[{"kind":"ReplicaSet","name":"web-7d4b9","controller":true}]},
 "spec":{"nodeName":"n1","tolerations":[{"key":"gpu","operator":"Exists"}],
  "nodeSelector":{"disk":"ssd"},
  "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
   {"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}}}]}},
  "initContainers":[{"name":"i","resources":{"requests":{"cpu":"2"}}}],
  "containers":[{"name":"a","resources":{"requests":{"cpu":"250m","memory":"1Gi"}}},
   {"name":"b","resources":{"requests":{"cpu":"250m"}}}]},"status":{"phase":"Running"}},
{"kind":"Pod","metadata":{"name":"done","namespace":"shop"},"spec":{},"status":{"phase":"Succeeded"}},
{"kind":"Deployment","metadata":{"name":"api","namespace":"shop","annotations":{"slack.bellows.dev/mirror":"true"}},
 "spec":{"template":{"metadata":{"labels":{"app":"api"}},"spec":{"containers":[
  {"name":"a","resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}}},
{"kind":"Pod","metadata":{"name":"pause","namespace":"default","labels":{"slack.bellows.dev/placeholder":"slack-1"}},"spec":{}},
{"kind":"Secret","metadata":{"name":"x"}}]})";

TEST(KubeList, IsReadAsItIs) {
  const auto snapshot = read_kube_list(kList);
  ASSERT_TRUE(snapshot) << to_string(snapshot.error());
  ASSERT_EQ(snapshot->nodes.size(), 1U);
  EXPECT_EQ(snapshot->nodes[0].type, "m5.xlarge");
  EXPECT_EQ(snapshot->nodes[0].allocatable, amount(3920, std::int64_t{15842124} * 1024, 58));
  EXPECT_TRUE(snapshot->nodes[0].is_ready);
  ASSERT_EQ(snapshot->pods.size(), 1U);
  const Shape& web = snapshot->pods[0].shape;
  EXPECT_EQ(snapshot->pods[0].name, "shop/web-7d4b9-x1");
  EXPECT_EQ(web.name, "shop/Deployment/web");
  EXPECT_EQ(web.requests, amount(2000, kGi));  // the init container needs more CPU than both
  EXPECT_EQ(web.labels, (Labels{{"app", "web"}}));
  EXPECT_EQ(web.mirrors, 3);
  ASSERT_EQ(web.anti_affinity.size(), 1U);
  EXPECT_EQ(web.anti_affinity[0].namespaces, std::vector<std::string>{"shop"});
  EXPECT_TRUE(may_run_on(web, snapshot->nodes[0].labels, snapshot->nodes[0].taints));
  ASSERT_EQ(snapshot->mirrors.size(), 1U);
  EXPECT_EQ(snapshot->mirrors[0].shape.requests, amount(100, 64 * kMi));
}

TEST(KubeList, APodIsOfTheShapeOfItsTemplate) {
  constexpr std::string_view kContainers =
      R"("containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}])";
  const auto snapshot = read_kube_list(
      R"({"items":[{"kind":"Deployment","metadata":{"name":"web","namespace":"d",
      "annotations":{"slack.bellows.dev/mirror":"1"}},"spec":{"template":{"metadata":
      {"labels":{"app":"web"}},"spec":{)" +
      std::string(kContainers) +
      R"(}}}},{"kind":"Pod","metadata":{"name":"web-1-a","namespace":"d",
      "labels":{"app":"web","pod-template-hash":"1"},
      "ownerReferences":[{"kind":"ReplicaSet","name":"web-1","controller":true}]},
      "spec":{"tolerations":[
       {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"},
       {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"}],)" +
      std::string(kContainers) + "}}]}");
  ASSERT_TRUE(snapshot) << to_string(snapshot.error());
  Shapes shapes;
  EXPECT_EQ(shapes.intern(snapshot->mirrors[0].shape), shapes.intern(snapshot->pods[0].shape));
}

TEST(KubeList, WhatIsNotCheckedIsNamedAndPromisedNothing) {
  const auto snapshot =
      read_kube_list(R"({"items":[{"kind":"Pod","metadata":{"name":"a","namespace":"d"},
    "spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1","nvidia.com/gpu":"1"}}}]}}]})");
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->pods[0].shape.unchecked, "request of nvidia.com/gpu");
}

/// The requests of a pod with this spec.
Resources requests_of(std::string_view spec) {
  const auto snapshot =
      read_kube_list(R"({"items":[{"kind":"Pod","metadata":{"name":"a","namespace":"d"},"spec":)" +
                     std::string(spec) + "}]}");
  EXPECT_TRUE(snapshot && snapshot->pods.size() == 1) << spec;
  return snapshot && snapshot->pods.size() == 1 ? snapshot->pods[0].shape.requests : Resources();
}

TEST(KubeList, ALimitIsTheRequestWhereThatIsMissing) {
  EXPECT_EQ(requests_of(R"({"containers":[{"resources":{"limits":{"cpu":"2","memory":"1Gi"}}}]})"),
            amount(2000, kGi));
  EXPECT_EQ(requests_of(R"({"containers":[{"resources":{"requests":{"cpu":"1"},
                            "limits":{"cpu":"2","memory":"1Gi"}}}]})"),
            amount(1000, kGi));
  EXPECT_EQ(requests_of(R"({"containers":[{"resources":{"requests":{"cpu":"0"},
                            "limits":{"cpu":"2"}}}]})"),
            amount(0, 0));
}

TEST(KubeList, APodsOwnRequestIsInThePlaceOfItsContainers) {
  constexpr std::string_view kContainers =
      R"("containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]})";
  EXPECT_EQ(requests_of(R"({"resources":{"requests":{"cpu":"3"}},)" + std::string(kContainers)),
            amount(3000, kGi));
  EXPECT_EQ(requests_of(R"({"resources":{"limits":{"cpu":"3"}},)" + std::string(kContainers)),
            amount(1000, kGi));
  EXPECT_EQ(requests_of(R"({"resources":{"limits":{"cpu":"3"}},"overhead":{"cpu":"250m"},
                            "containers":[{}]})"),
            amount(3250, 0));
}

TEST(KubeList, APodBehindASchedulingGateNeedsNoRoom) {
  const auto snapshot = read_kube_list(R"({"items":[
    {"kind":"Pod","metadata":{"name":"a","namespace":"d"},
     "spec":{"schedulingGates":[{"name":"example.com/quota"}],"containers":[{}]}},
    {"kind":"Pod","metadata":{"name":"b","namespace":"d"},
     "spec":{"schedulingGates":[],"containers":[{}]}}]})");
  ASSERT_TRUE(snapshot);
  ASSERT_EQ(snapshot->pods.size(), 1U);
  EXPECT_EQ(snapshot->pods[0].name, "d/b");
}

/// A node of type m: its creation, taints, whether it is ready, and its allocatable.
std::string node_text(std::string_view name, std::string_view created, std::string_view taints,
                      bool is_ready, bool has_allocatable = true) {
  return R"({"kind":"Node","metadata":{"name":")" + std::string(name) +
         R"(","creationTimestamp":")" + std::string(created) +
         R"(","labels":{"node.kubernetes.io/instance-type":"m"}},"spec":{"taints":[)" +
         std::string(taints) + R"(]},"status":{"conditions":[{"type":"Ready","status":")" +
         (is_ready ? "True" : "False") + R"(","lastHeartbeatTime":"2026-11-29T12:00:00Z"}])" +
         (has_allocatable ? R"(,"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"})" : "") +
         "}}";
}

/// The groups of a cluster of one full node, `second`, and a pod of four cores that waits.
std::string groups_beside(const std::string& second) {
  constexpr std::string_view kOld = "2026-11-01T00:00:00Z";
  const std::string pods = R"({"kind":"Pod","metadata":{"name":"full","namespace":"d"},
     "spec":{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"4"}}}]}},
    {"kind":"Pod","metadata":{"name":"waits","namespace":"d"},
     "spec":{"containers":[{"resources":{"requests":{"cpu":"4"}}}]}})";
  auto snapshot = read_kube_list(R"({"items":[)" + node_text("n1", kOld, "", true) + "," + second +
                                 "," + pods + "]}");
  if (!snapshot) return to_string(snapshot.error());
  Planner planner(rate(0));
  const auto loaded = load(*snapshot, {}, planner);
  if (!loaded) return to_string(loaded.error());
  for (const Unmet& problem : snapshot->problems) return problem.object + ": " + problem.field;
  return node_groups_yaml(planner, planner.loop());
}

TEST(KubeList, ANodeThatBootsIsNotOrderedAgain) {
  constexpr std::string_view kNew = "2026-11-29T11:58:00Z";
  const std::string cilium = R"({"key":"node.cilium.io/agent-not-ready","effect":"NoExecute"})";
  const std::string startup =
      R"({"key":"startup-taint.cluster-autoscaler.kubernetes.io/gpu","effect":"NoSchedule"})";
  const std::string not_ready = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  const std::string two = "nodeGroups:\n- name: \"m\"\n  nodes: 2\n  size: 2\n";
  const std::string three = "nodeGroups:\n- name: \"m\"\n  nodes: 2\n  size: 3\n";
  EXPECT_EQ(groups_beside(node_text("n2", kNew, "", true)), two) << "it is there";
  EXPECT_EQ(groups_beside(node_text("n2", kNew, not_ready, false)), two);
  EXPECT_EQ(groups_beside(node_text("n2", kNew, not_ready, false, false)), two);
  EXPECT_EQ(groups_beside(node_text("n2", kNew, "", true, false)), two) << "no allocatable yet";
  EXPECT_EQ(groups_beside(node_text("n2", kNew, cilium, true)), two);
  EXPECT_EQ(groups_beside(node_text("n2", kNew, startup, true)), two);
  const std::string before = "2026-11-29T11:40:00Z";
  EXPECT_EQ(groups_beside(node_text("n2", before, not_ready, false)), three) << "it has failed";
  EXPECT_EQ(groups_beside(node_text("n2", before, startup, true)), three);
}

/// The error of a list with this pod of namespace d.
std::string error_of_pod(std::string_view metadata, std::string_view spec) {
  const auto wrong =
      read_kube_list(R"({"items":[{"kind":"Pod","metadata":{"namespace":"d")" +
                     std::string(metadata) + R"(},"spec":{)" + std::string(spec) + "}}]}");
  return wrong ? "no error" : to_string(wrong.error());
}

TEST(KubeList, ErrorsNameTheObjectTheFieldAndTheValue) {
  constexpr std::string_view kName = R"(,"name":"a")";
  const auto requests = [&](const std::string& amounts) {
    return error_of_pod(
        kName, R"("containers":[{"name":"a","resources":{"requests":{)" + amounts + "}}}]");
  };
  EXPECT_EQ(requests(R"("cpu":"-1")"),
            "Pod d/a: spec.containers[0].resources.requests.cpu: \"-1\": "
            "want a quantity from 0 to 1M, such as 500m");
  EXPECT_THAT(requests(R"("memory":"65Ti")"), HasSubstr("want a quantity from 0 to 64Ti"));
  EXPECT_EQ(requests(R"("memory":"64Ti")"), "no error");
  EXPECT_THAT(requests(R"("cpu":"1.2.3")"), HasSubstr("requests.cpu: \"1.2.3\""));
  EXPECT_THAT(error_of_pod("", ""), HasSubstr("metadata.name: missing"));
  EXPECT_THAT(error_of_pod(R"(,"name":"a","annotations":{"slack.bellows.dev/mirror":"-1"})", ""),
              HasSubstr("metadata.annotations.slack.bellows.dev/mirror: \"-1\": want a count"));
  EXPECT_THAT(error_of_pod(kName, R"("tolerations":{})"), HasSubstr("spec.tolerations: an object"));
  EXPECT_THAT(error_of_pod(kName, R"("affinity":{"podAntiAffinity":{)"
                                  R"("requiredDuringSchedulingIgnoredDuringExecution":[{}]}})"),
              HasSubstr("topologyKey: missing: want a label of nodes"));
}

TEST(KubeList, OtherTextIsNoList) {
  for (const std::string_view text : {"{}", "", "[]", "error: no such host", R"({"items":[{}]})"}) {
    const auto wrong = read_kube_list(text);
    ASSERT_FALSE(wrong) << text;
  }
  EXPECT_THAT(to_string(read_kube_list("{}").error()),
              HasSubstr("list: want a list of nodes and pods"));
  const auto cut = read_kube_list(kList.substr(0, kList.size() - 2));
  ASSERT_FALSE(cut);
  EXPECT_THAT(to_string(cut.error()), HasSubstr("it ends before its last bracket"));
}

TEST(KubeList, MayComeInPiecesCutAnywhere) {
  KubeListReader reader({"list", ""});
  for (const char one : kList) ASSERT_TRUE(reader.feed({&one, 1}));
  const auto pieces = reader.finish();
  ASSERT_TRUE(pieces) << to_string(pieces.error());
  EXPECT_EQ(pieces->nodes.size(), 1U);
  EXPECT_EQ(pieces->pods.size(), 1U);
  EXPECT_EQ(pieces->mirrors.size(), 1U);
}

TEST(KubeList, DamagedTextIsAnErrorOrAListButNeverACrash) {
  SeededRandom random(3);
  for (int turn = 0; turn < 2000; ++turn) {
    std::string text(kList);
    for (int changes = 1 + static_cast<int>(random.next() % 3); changes > 0; --changes) {
      const std::size_t at = random.next() % text.size();
      switch (random.next() % 3) {
        case 0:
          text[at] = "{}[]\",:0x-"[random.next() % 10];
          break;
        case 1:
          text.erase(at, 1 + random.next() % 8);
          break;
        default:
          text.insert(at, text.substr(random.next() % text.size(), random.next() % 12));
      }
    }
    auto snapshot = read_kube_list(text);
    if (!snapshot) continue;
    Planner planner(rate(100000));
    if (load(*snapshot, {}, planner)) planner.loop();
  }
}

TEST(Objects, AreCapacityBuffersOfTheShapes) {
  auto snapshot = read_kube_list(kList);
  ASSERT_TRUE(snapshot);
  Planner planner(rate(0));
  ASSERT_TRUE(load(*snapshot, {}, planner));
  const Plan& plan = planner.loop();
  const std::string yaml = capacity_buffers_yaml(planner, plan, {});
  EXPECT_THAT(yaml, HasSubstr("apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\n"));
  EXPECT_THAT(yaml, HasSubstr("name: slack-shop-deployment-web\n"));
  EXPECT_THAT(yaml, HasSubstr("  replicas: 3\n"));
  EXPECT_THAT(yaml, HasSubstr("      cpu: \"2\"\n"));
  const std::string deployment = deployments_yaml(planner, plan, {});
  EXPECT_THAT(deployment, HasSubstr("value: -10\n"));
  EXPECT_THAT(deployment, HasSubstr("- topologyKey: \"kubernetes.io/hostname\""));
  EXPECT_THAT(node_groups_yaml(planner, plan), HasSubstr("- name: \"m5.xlarge\"\n  nodes: 1\n"));
}

TEST(Objects, HaveNoLabelOfTheAppAndAreSeparatedByTheirOwn) {
  auto snapshot = read_kube_list(kList);
  ASSERT_TRUE(snapshot);
  Planner planner(rate(0));
  ASSERT_TRUE(load(*snapshot, {}, planner));
  const Plan& plan = planner.loop();
  const ObjectOptions options{.space = "room"};
  for (const std::string& yaml :
       {capacity_buffers_yaml(planner, plan, options), deployments_yaml(planner, plan, options)}) {
    EXPECT_THAT(yaml, testing::Not(HasSubstr("app: ")));
    EXPECT_THAT(yaml, testing::Not(HasSubstr("\"app\": ")));
    EXPECT_THAT(yaml, HasSubstr("namespaces: [\"shop\"]\n")) << "apart from the app's pods";
    EXPECT_THAT(yaml, HasSubstr("namespaces: [\"room\"]\n")) << "apart from each other";
    EXPECT_THAT(yaml, HasSubstr("key: \"slack.bellows.dev/placeholder\"\n"));
  }
}

TEST(Objects, AreAsManyAsHaveAPlace) {
  auto snapshot = read_kube_list(kList);
  ASSERT_TRUE(snapshot);
  Planner planner(rate(0));
  auto types = types_of(*snapshot);
  ASSERT_EQ(types.size(), 1U);
  types[0].max_nodes = 2;
  ASSERT_TRUE(load(*snapshot, types, planner));
  const Plan& plan = planner.loop();
  // One a node: two nodes, of which a pod has the first.
  EXPECT_THAT(deployments_yaml(planner, plan, {}), HasSubstr("replicas: 1\n"));
  EXPECT_THAT(capacity_buffers_yaml(planner, plan, {}), HasSubstr("replicas: 1\n"));
  EXPECT_THAT(deployments_yaml(planner, plan, {}), testing::Not(HasSubstr("replicas: 3\n")));
}

TEST(Revisions, AreTheReplicasToCome) {
  std::vector<Unmet> unmet;
  const auto demands = read_revisions(R"({"version":2,"services":[{"name":"web","revisions":[
    {"name":"web","state":"Active","desired":6,"ready":3,"starting":1,
     "resources":{"new_replicas":{"cpu_millicores":250,"memory_bytes":1073741824}}},
    {"name":"old","state":"Retired","desired":0}]},{"name":"blind","revisions":[
    {"name":"blind","state":"Active","desired":1,"ready":1,"starting":0}]}]})",
                                      "status", unmet);
  ASSERT_TRUE(demands) << to_string(demands.error());
  ASSERT_EQ(demands->size(), 1U);
  EXPECT_EQ((*demands)[0].to_come, 3);  // two that are missing, and the next one
  EXPECT_EQ((*demands)[0].size, amount(250, kGi));
  ASSERT_EQ(unmet.size(), 1U);
  EXPECT_EQ(unmet[0].object, "revision blind");
  Scene scene(rate(500000));
  scene.nodes(2, amount(4000, 16 * kGi, 110));
  scene.planner.set_wanted(wants_of(*demands, scene.cluster()));
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "revision web").placed, 3);
  // The standard placeholder is as large as the replicas that come, and the rate still holds.
  EXPECT_EQ(row(plan, "standard").requests, amount(250, kGi));
  EXPECT_EQ(row(plan, "standard").count, 13);
  EXPECT_GE(plan.held.memory_bytes, plan.desired.memory_bytes);
}

TEST(Revisions, OfOneMachineHaveTheSizesOfTheirSettings) {
  std::vector<Unmet> unmet;
  const auto demands = read_revisions(R"({"services":[{"revisions":[
    {"name":"blog","desired":1,"ready":1,"replicas":[{"name":"blog-1","size":{"memory_bytes":4096}}]},
    {"name":"web","desired":2,"ready":2,"replicas":[{"name":"web-1"}]},
    {"name":"blind","desired":1,"ready":1}]}],
    "machine":{"services":[{"name":"blind","next":{"memory_bytes":0}},
                           {"name":"web","next":{"memory_bytes":1073741824}}]}})",
                                      "status", unmet);
  ASSERT_TRUE(demands) << to_string(demands.error());
  ASSERT_EQ(demands->size(), 2U);
  EXPECT_EQ((*demands)[0].size, (Resources{0, 4096, 1})) << "CPU is not governed";
  EXPECT_EQ((*demands)[1].size.memory_bytes, kGi);
  ASSERT_EQ(unmet.size(), 1U);
  EXPECT_EQ(unmet[0].object, "revision blind");
}

TEST(Report, SaysWhatIsInTheWay) {
  auto planner = planned(kNodes, kPods);
  ASSERT_TRUE(planner);
  const Plan plan = (*planner)->loop();
  const auto shapes = report_shapes(**planner, 1000);
  const std::string text = report_text(shapes, plan);
  EXPECT_THAT(text, HasSubstr("6 of web (1000m 1Gi)"));
}

}  // namespace
}  // namespace bellows::slack
