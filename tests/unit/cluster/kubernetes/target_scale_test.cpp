#include "cluster/kubernetes/core/target_scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using test::kWeb;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kKind = "example.dev/App";

/// A custom resource as its operator has it: neither its number nor its selector is where a
/// Deployment has them.
TargetPtr app(const std::string& spec = "{'size':3,'selector':'app=web'}") {
  return test::object<kubernetes::ScaleTarget>(
      "{'kind':'App','metadata':{'namespace':'shop','name':'web','uid':'uid-app',"
      "'resourceVersion':'10'},'spec':" +
      spec + "}");
}

kubernetes::Scale scale(const std::string& selector = "app=web,tier=front") {
  return *test::object<kubernetes::Scale>(
      "{'metadata':{'namespace':'shop','name':'web','uid':'uid-app','resourceVersion':'11'},"
      "'spec':{'replicas':3},'status':{'replicas':2,'selector':'" +
      selector + "'}}");
}

TargetPtr complete(const std::string& selector = "app=web,tier=front") {
  return std::make_shared<const kubernetes::ScaleTarget>(with_scale(*app(), scale(selector)));
}

/// A Directory with a Revision of App web; `target` is null: it is not listed yet.
Directory directory_of(const TargetPtr& target) {
  Directory directory;
  directory.kind_known(kKind, {});
  directory.revision_changed(
      nullptr,
      test::object<RevisionObject>(
          "{'metadata':{'namespace':'shop','name':'web','uid':'u'},'spec':{'scaleTargetRef':"
          "{'apiVersion':'example.dev/v1','kind':'App','name':'web'}}}"));
  if (target) directory.target_changed(kKind, nullptr, target);
  return directory;
}

std::vector<std::string> replicas(Directory& directory) {
  std::vector<std::string> names;
  for (const auto& revision : directory.refresh({TimePoint(100s), WallTime(100s)}).revisions) {
    for (const ReplicaPtr& replica : revision->replicas) names.push_back(replica->name.text());
  }
  return names;
}

TEST(TargetRef, HasAKindThatChangesNoPath) {
  for (const char* version : {"v1", "apps/v1", "example.dev/v1alpha1"}) {
    EXPECT_TRUE((TargetRef{.api_version = version, .kind = "App", .name = "web"}.has_valid_kind()));
  }
  for (const char* version : {"", "/", "/v1", "apps/", "apps/v1?", "a/b/v1", "../../api/v1",
                              "apps/v1#", "apps%2fv1", "Apps/v1", "apps/v1 "}) {
    EXPECT_FALSE((TargetRef{.api_version = version, .kind = "App", .name = "web"}.has_valid_kind()))
        << version;
  }
  for (const char* kind : {"", "App/x", "App?", "App x"}) {
    EXPECT_FALSE(
        (TargetRef{.api_version = "apps/v1", .kind = kind, .name = "web"}.has_valid_kind()))
        << kind;
  }
}

TEST(TargetWithItsScale, HasTheNumberTheVersionAndTheSelectorOfTheScale) {
  EXPECT_TRUE(leaves_to_scale(*app()));
  EXPECT_TRUE(leaves_to_scale(*app("{'selector':{'app':'web'}}")));
  const TargetPtr made = complete();
  EXPECT_FALSE(leaves_to_scale(*made));
  EXPECT_EQ(made->replicas, 3);
  EXPECT_EQ(made->status_replicas, 2);
  EXPECT_EQ(made->meta.resource_version, "11");
  EXPECT_EQ(made->meta.uid, "uid-app");
  EXPECT_EQ(made->selector.text(), "app=web,tier=front");
}

TEST(TargetWithItsScale, IsFoundByAServiceThroughTheLabelsThatItsSelectorDemands) {
  Directory directory = directory_of(complete());
  directory.service_changed(nullptr, test::service("front", "{'app':'web'}"));
  replicas(directory);
  EXPECT_EQ(directory.find(kWeb)->service, "front");
}

TEST(TargetWithItsScale, HasPodsOfTheDeploymentBelowItWhicheverComesFirst) {
  const test::PodText of_deployment;  // its ReplicaSet belongs to a Deployment
  const test::PodText of_another{
      .name = "api-1", .owner = "api-abc", .labels = "{'app':'api','pod-template-hash':'abc'}"};
  Directory later = directory_of(complete());
  for (const auto& pod : {of_deployment, of_another}) later.pod_changed(nullptr, test::pod(pod));
  EXPECT_THAT(replicas(later), ElementsAre("web-abc-1"));

  Directory earlier = directory_of(nullptr);
  for (const auto& pod : {of_deployment, of_another}) earlier.pod_changed(nullptr, test::pod(pod));
  earlier.target_changed(kKind, nullptr, complete());
  EXPECT_THAT(replicas(earlier), ElementsAre("web-abc-1"));
  earlier.pod_changed(test::pod(of_deployment), nullptr);
  EXPECT_THAT(replicas(earlier), IsEmpty());
}

TEST(TargetWithItsScale, ThatSaysNoSelectorHasNoPodsAndAFinding) {
  Directory directory = directory_of(complete(""));
  directory.pod_changed(nullptr, test::pod());
  EXPECT_THAT(replicas(directory), IsEmpty());
  const Standing standing = directory.find(kWeb)->standing();
  ASSERT_NE(standing.find(kTargetNotScalable), nullptr);
  EXPECT_THAT(standing.find(kTargetNotScalable)->message, HasSubstr("labelSelectorPath"));
  EXPECT_NE(standing.stopper(), nullptr);
}

}  // namespace
}  // namespace bellows::cluster
