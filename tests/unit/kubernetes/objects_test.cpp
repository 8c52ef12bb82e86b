// The kinds other than Pod.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/timestamp_text.hpp"
#include "kubernetes/core/autoscalers.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/endpoint_slice.hpp"
#include "kubernetes/core/lease.hpp"
#include "kubernetes/core/managed_fields.hpp"
#include "kubernetes/core/pod_metrics.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/core/scale_target.hpp"
#include "kubernetes/core/service.hpp"
#include "tests/support/sample_objects.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;

TEST(ScaleTarget, ADeployment) {
  const auto target = read_object<ScaleTarget>(test::deployment_json("shop", "web", 3, 17));
  ASSERT_TRUE(target) << error_of(target);
  EXPECT_EQ(target->replicas, 3);
  EXPECT_EQ(target->selector.text(), "app=web");
  EXPECT_EQ(target->template_labels.get("app"), "web");
  EXPECT_EQ(target->containers.at(0).ports.at(0).name, "http1");
  EXPECT_EQ(target->ready_replicas, 3);
  EXPECT_EQ(target->observed_generation, 2);
  EXPECT_EQ(target->condition("Progressing")->status, ConditionStatus::kTrue);
}

TEST(ScaleTarget, WithoutReplicasTheDefaultOfTheApiCounts) {
  const auto target = read_object<ScaleTarget>("{'metadata':{'name':'a'},'spec':{}}");
  ASSERT_TRUE(target) << error_of(target);
  EXPECT_EQ(target->replicas, 1);
}

std::string metrics_json(const std::string& cpu, const std::string& memory) {
  return "{'metadata':{'name':'web-1','namespace':'shop'},'timestamp':'2026-11-23T01:00:05Z',"
         "'window':'14.5s','containers':[{'name':'app','usage':{'cpu':'" +
         cpu + "','memory':'" + memory + "'}}]}";
}

TEST(PodMetrics, AmountsAsMetricsServerHasThem) {
  const auto metrics = read_object<PodMetrics>(metrics_json("12345678n", "65536Ki"));
  ASSERT_TRUE(metrics) << error_of(metrics);
  EXPECT_EQ(timestamp_text(metrics->measured), "2026-11-23T01:00:05Z");
  EXPECT_EQ(metrics->containers.at(0).cpu.value, 13) << "rounded up as the API does";
  EXPECT_EQ(metrics->containers.at(0).memory, mebibytes(64));
}

TEST(PodMetrics, AmountsThatNoMachineHasAreErrors) {
  for (const auto& [cpu, memory] : std::vector<std::pair<std::string, std::string>>{{"-1m", "1Mi"},
                                                                                    {"200k", "1Mi"},
                                                                                    {"much", "1Mi"},
                                                                                    {"", "1Mi"},
                                                                                    {"1", "-1"},
                                                                                    {"1", "1E"}}) {
    const auto metrics = read_object<PodMetrics>(metrics_json(cpu, memory));
    EXPECT_THAT(error_of(metrics), testing::HasSubstr("want a quantity from 0 to"))
        << cpu << " " << memory;
  }
  const auto undated = read_object<PodMetrics>("{'metadata':{'name':'a'},'containers':[]}");
  EXPECT_THAT(error_of(undated), testing::HasSubstr("timestamp"));
}

TEST(Service, PortsByNumberAndByName) {
  const auto service = read_object<Service>(
      "{'metadata':{'name':'web','namespace':'shop'},'spec':{'selector':{'app':'web'},'ports':["
      "{'port':80,'targetPort':8080,'protocol':'TCP'},{'name':'h2','port':81,'targetPort':'http',"
      "'appProtocol':'kubernetes.io/h2c'}],'clusterIP':'10.96.1.2','type':'ClusterIP',"
      "'sessionAffinity':'ClientIP','internalTrafficPolicy':'Local'}}");
  ASSERT_TRUE(service) << error_of(service);
  EXPECT_EQ(service->ports.at(0).target_port, "8080");
  EXPECT_EQ(service->ports.at(1).target_port, "http");
  EXPECT_EQ(service->ports.at(1).app_protocol, "kubernetes.io/h2c");
  EXPECT_EQ(service->session_affinity, "ClientIP");
  EXPECT_EQ(service->internal_traffic_policy, "Local");
  EXPECT_TRUE(Selector::of_map(service->selector).matches(StringMap({{"app", "web"}, {"x", "y"}})));
}

TEST(EndpointSlice, TheNewAndTheOldVersionReadAlike) {
  const auto v1 = read_object<EndpointSlice>(
      "{'metadata':{'name':'a','labels':{'kubernetes.io/service-name':'web'}},'addressType':'IPv4',"
      "'endpoints':[{'addresses':['10.1.2.3'],'conditions':{'ready':false,'serving':true,"
      "'terminating':true},'targetRef':{'kind':'Pod','name':'web-1'},'nodeName':'n1'}],"
      "'ports':[{'name':'http','port':8080,'protocol':'TCP'}]}");
  ASSERT_TRUE(v1) << error_of(v1);
  EXPECT_EQ(v1->service(), "web");
  EXPECT_THAT(v1->endpoints.at(0).addresses, ElementsAre("10.1.2.3"));
  EXPECT_FALSE(v1->endpoints.at(0).ready);
  EXPECT_TRUE(v1->endpoints.at(0).serving);
  EXPECT_TRUE(v1->endpoints.at(0).terminating);
  const auto beta = read_object<EndpointSlice>(
      "{'metadata':{'name':'a'},'endpoints':[{'addresses':['10.1.2.3'],'conditions':{'ready':null},"
      "'topology':{'kubernetes.io/hostname':'n1'}}],'ports':[{'port':null}]}");
  ASSERT_TRUE(beta) << error_of(beta);
  EXPECT_EQ(beta->endpoints.at(0).node_name, "n1");
  EXPECT_TRUE(beta->endpoints.at(0).ready);
  EXPECT_EQ(beta->ports.at(0).port, 0);
  EXPECT_EQ(beta->service(), "");
}

TEST(HorizontalPodAutoscaler, TargetAndBounds) {
  const auto hpa = read_object<HorizontalPodAutoscaler>(
      "{'metadata':{'name':'web'},'spec':{'scaleTargetRef':{'apiVersion':'apps/v1','kind':"
      "'Deployment','name':'web'},'maxReplicas':10},'status':{'conditions':[{'type':"
      "'ScalingActive','status':'False','reason':'ScalingDisabled'}]}}");
  ASSERT_TRUE(hpa) << error_of(hpa);
  EXPECT_EQ(hpa->target, (ScaleTargetRef{"apps/v1", "Deployment", "web"}));
  EXPECT_EQ(hpa->min_replicas, 1);
  EXPECT_EQ(hpa->max_replicas, 10);
  EXPECT_EQ(find_condition(hpa->conditions, "ScalingActive")->reason, "ScalingDisabled");
}

TEST(ScaledObject, ADeploymentIsTheDefaultAndItCanBePaused) {
  const auto scaled = read_object<ScaledObject>(
      "{'metadata':{'name':'web','annotations':{'autoscaling.keda.sh/paused-replicas':'0'}},"
      "'spec':{'scaleTargetRef':{'name':'web'},'minReplicaCount':0}}");
  ASSERT_TRUE(scaled) << error_of(scaled);
  EXPECT_EQ(scaled->target, (ScaleTargetRef{"apps/v1", "Deployment", "web"}));
  EXPECT_EQ(scaled->min_replicas, 0);
  EXPECT_EQ(scaled->max_replicas, std::nullopt);
  EXPECT_TRUE(scaled->is_paused);
}

TEST(Scale, TheSelectorIsText) {
  const auto scale = read_object<Scale>(
      "{'metadata':{'name':'web','uid':'u'},'spec':{},'status':{'replicas':2,'selector':"
      "'app=web,tier!=db'}}");
  ASSERT_TRUE(scale) << error_of(scale);
  EXPECT_EQ(scale->replicas, 0);
  EXPECT_EQ(scale->status_replicas, 2);
  EXPECT_EQ(scale->selector.text(), "app=web,tier!=db");
  EXPECT_EQ(
      error_of(read_object<Scale>("{'metadata':{'name':'web'},'status':{'selector':'app=('}}")),
      "Scale web: status.selector: \"app=(\": want a label selector such as "
      "\"app=web,tier in (a, b),!canary\"");
}

TEST(CustomObject, SpecAndStatusAreCompactJson) {
  const auto object = read_object<CustomObject>(
      "{'metadata':{'name':'a'},'spec':{'scaling': {'target' : 0.7, "
      "'x':[1,-2,true,null,'\\u00e9']},"
      "'empty':{},'none':[]},'other':1}");
  ASSERT_TRUE(object) << error_of(object);
  EXPECT_EQ(object->spec, json_of("{'scaling':{'target':0.7,'x':[1,-2,true,null,'\xC3\xA9']},"
                                  "'empty':{},'none':[]}"));
  EXPECT_EQ(object->status, "");
}

TEST(Lease, IsReadAsItWasWritten) {
  Lease lease;
  lease.meta.ns = "kube-system";
  lease.meta.name = "bellows";
  lease.meta.resource_version = "7";
  lease.holder = "autoscaler-1";
  lease.duration_seconds = 15;
  lease.acquired = parse_timestamp("2026-11-20T09:00:00.123456Z");
  lease.renewed = parse_timestamp("2026-11-20T09:00:10.5Z");
  lease.transitions = 3;
  const auto read = read_object<Lease>(lease_json(lease));
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_EQ(*read, lease);
  EXPECT_NE(lease_json(lease).find("\"renewTime\":\"2026-11-20T09:00:10.500000Z\""),
            std::string::npos);
}

TEST(ManagedFields, TheNewestOtherManagerOfAField) {
  const std::string body = json_of(
      "{'metadata':{'name':'web','managedFields':["
      "{'manager':'kubectl','operation':'Update','time':'2026-11-20T09:00:00Z','fieldsV1':"
      "{'f:spec':{'f:replicas':{}}}},"
      "{'manager':'argocd','operation':'Apply','time':'2026-11-20T10:00:00Z','fieldsV1':"
      "{'f:spec':{'f:replicas':{},'f:paused':{}}}},"
      "{'manager':'bellows','operation':'Update','subresource':'scale','time':"
      "'2026-11-20T11:00:00Z','fieldsV1':{'f:spec':{'f:replicas':{}}}},"
      "{'manager':'kube-controller-manager','operation':'Update','subresource':'status',"
      "'time':'2026-11-20T12:00:00Z','fieldsV1':{'f:status':{'f:replicas':{}}}}]}}");
  const auto manager = manager_of(body, "/spec/replicas", "bellows");
  ASSERT_TRUE(manager && *manager);
  EXPECT_EQ((*manager)->name, "argocd");
  EXPECT_EQ((*manager)->operation, "Apply");
  EXPECT_EQ((*manager_of(body, "/spec/replicas"))->name, "bellows");
  EXPECT_EQ((*manager_of(body, "/spec/replicas"))->subresource, "scale");
  EXPECT_FALSE(manager_of(body, "/spec/template")->has_value());
  EXPECT_FALSE(manager_of("{}", "/spec/replicas")->has_value());
  EXPECT_FALSE(manager_of("none", "/spec/replicas"));
}

TEST(KeysOfAList, HaveTheNamespaceOfObjectsThatHaveOne) {
  const auto keys = read_object_keys(
      R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b","namespace":"shop"}}]})");
  ASSERT_TRUE(keys) << error_of(keys);
  EXPECT_THAT(*keys, ElementsAre("a", "shop/b"));
  EXPECT_FALSE(read_object_keys(R"({"items":[{"metadata":{}}]})"));
}

}  // namespace
}  // namespace bellows::kubernetes
