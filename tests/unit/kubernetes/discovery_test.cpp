#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/core/server_features.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;

ServerFeatures features(const char* version, const char* groups) {
  return {.version = *parse_version(json_of(version)),
          .group_versions = *parse_group_list(json_of(groups))};
}

constexpr auto k120 =
    "{'groups':[{'name':'apps','versions':[{'groupVersion':'apps/v1','version':'v1'}]},"
    "{'versions':[{'groupVersion':'autoscaling/v1'},{'groupVersion':'autoscaling/v2beta2'}]},"
    "{'versions':[{'groupVersion':'discovery.k8s.io/v1beta1'}]},"
    "{'versions':[{'groupVersion':'policy/v1beta1'}]}]}";
constexpr auto k136 =
    "{'groups':[{'versions':[{'groupVersion':'autoscaling/v2'},{'groupVersion':'autoscaling/v1'}]},"
    "{'versions':[{'groupVersion':'discovery.k8s.io/v1'}]},"
    "{'versions':[{'groupVersion':'policy/v1'}]},{'versions':[{'groupVersion':'keda.sh/"
    "v1alpha1'}]}]}";

TEST(ServerFeatures, AnOldServer) {
  const ServerFeatures server = features("{'major':'1','minor':'20','gitVersion':'v1.20.2'}", k120);
  EXPECT_EQ(server.endpoint_slices()->version, "v1beta1");
  EXPECT_EQ(server.pod_disruption_budgets()->version, "v1beta1");
  EXPECT_EQ(server.horizontal_pod_autoscalers()->version, "v2beta2");
  EXPECT_EQ(server.scaled_objects(), std::nullopt);
  EXPECT_FALSE(server.may_have_watch_list());
  EXPECT_FALSE(server.has_pod_deletion_cost());
  EXPECT_FALSE(server.has_ordered_namespace_deletion());
  EXPECT_TRUE(server.has("v1"));
}

TEST(ServerFeatures, ANewServerOfAVendor) {
  const ServerFeatures server =
      features("{'major':'1','minor':'36+','gitVersion':'v1.36.2-gke.1'}", k136);
  EXPECT_EQ(server.version.minor, 36);
  EXPECT_EQ(server.endpoint_slices()->version, "v1");
  EXPECT_EQ(server.pod_disruption_budgets()->version, "v1");
  EXPECT_EQ(server.horizontal_pod_autoscalers()->version, "v2");
  EXPECT_TRUE(server.scaled_objects().has_value());
  EXPECT_TRUE(server.may_have_watch_list());
  EXPECT_TRUE(server.has_pod_deletion_cost());
  EXPECT_TRUE(server.has_ordered_namespace_deletion());
}

TEST(ServerFeatures, ResourcesOfAGroupVersion) {
  const auto resources = parse_resource_list(json_of(
      "{'kind':'APIResourceList','groupVersion':'apps/v1','resources':[{'name':'deployments',"
      "'kind':'Deployment','namespaced':true,'verbs':['get','list']},{'name':'deployments/scale',"
      "'kind':'Scale','group':'autoscaling','version':'v1','namespaced':true,'verbs':[]}]}"));
  ASSERT_TRUE(resources);
  EXPECT_EQ(resources->at(0).kind, "Deployment");
  EXPECT_THAT(resources->at(0).verbs, ElementsAre("get", "list"));
  EXPECT_TRUE(resources->at(0).is_namespaced);
  EXPECT_EQ(resources->at(1).group, "autoscaling");
}

TEST(ServerFeatures, OtherAnswersAreErrors) {
  EXPECT_EQ(error_of(parse_version("<html>")), "JSON: syntax error");
  EXPECT_EQ(error_of(parse_version("{}")), "version: major: missing: want a number as text");
  EXPECT_EQ(error_of(parse_group_list("{}")), "APIGroupList: groups: missing: want a list");
  EXPECT_EQ(error_of(parse_resource_list("[]")), "JSON: want an object");
}

}  // namespace
}  // namespace bellows::kubernetes
