#include "cli/check/rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using testing::Contains;
using testing::Not;

kubernetes::ServerFeatures server(int minor, std::set<std::string> group_versions) {
  return {.version = {.major = 1, .minor = minor, .git_version = ""},
          .group_versions = std::move(group_versions)};
}

TEST(RightsOfTheAutoscaler, LeaveOutWhatTheServerDoesNotHave) {
  const Right cost{"patch", "", "pods"};
  const Right scaled_objects{"watch", "keda.sh", "scaledobjects"};
  const auto old = autoscaler_rights(server(20, {"v1", "apps/v1"}), "bellows-system");
  EXPECT_THAT(old, Not(Contains(cost)));
  EXPECT_THAT(old, Not(Contains(scaled_objects)));
  const auto recent = autoscaler_rights(server(22, {"v1", "apps/v1", "keda.sh/v1alpha1"}), "sys");
  EXPECT_THAT(recent, Contains(cost));
  EXPECT_THAT(recent, Contains(scaled_objects));
  EXPECT_THAT(recent, Contains(Right{"watch", "", "namespaces", "", "sys"}));
}

TEST(RightsToTheLease, AreThoseOfItsRole) {
  const std::string group = "coordination.k8s.io";
  EXPECT_THAT(rights_to_lease("bellows-autoscaler"),
              testing::ElementsAre(Right{"create", group, "leases"},
                                   Right{"get", group, "leases", "", "bellows-autoscaler"},
                                   Right{"update", group, "leases", "", "bellows-autoscaler"}));
}

TEST(RightsToTokenKeys, AreOnPathsThatAreNoResources) {
  const auto rights = rights_to_token_keys();
  ASSERT_EQ(rights.size(), 2U);
  EXPECT_EQ(to_string(rights.at(1)), "get /openid/v1/jwks");
  EXPECT_EQ(access_review(rights.at(1), "", "system:serviceaccount:a:b"),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
            R"({"user":"system:serviceaccount:a:b","nonResourceAttributes":)"
            R"({"path":"/openid/v1/jwks","verb":"get"}}})");
}

TEST(ARight, IsWrittenAsInMessagesOfTheServer) {
  EXPECT_EQ(to_string(Right{"patch", "apps", "deployments", "scale"}),
            "patch deployments.apps/scale");
  EXPECT_EQ(to_string(Right{"watch", "", "pods"}), "watch pods");
}

TEST(AnAccessReview, AsksForOneselfOrForAnotherAccount) {
  const Right right{"get", "", "services", "proxy"};
  EXPECT_EQ(access_review(right, "shop", ""),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
            R"({"resourceAttributes":{"namespace":"shop","verb":"get","group":"",)"
            R"("resource":"services","subresource":"proxy"}}})");
  EXPECT_EQ(access_review({"list", "", "pods"}, "", "system:serviceaccount:a:b"),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
            R"({"user":"system:serviceaccount:a:b","resourceAttributes":{"verb":"list",)"
            R"("group":"","resource":"pods"}}})");
}

TEST(AnAccessReview, NamesTheOnlyObjectOfARight) {
  const Right right{"watch", "apiextensions.k8s.io", "customresourcedefinitions", "",
                    "revisions.bellows.dev"};
  EXPECT_THAT(access_review(right, "", ""),
              testing::HasSubstr(R"("name":"revisions.bellows.dev")"));
  EXPECT_EQ(to_string(right), "watch customresourcedefinitions.apiextensions.k8s.io");
}

TEST(AnAnswerToAReview, IsReadStrictly) {
  EXPECT_EQ(is_allowed(R"({"status":{"allowed":true,"reason":"r"}})"), true);
  EXPECT_EQ(is_allowed(R"({"status":{"allowed":false}})"), false);
  for (const char* text : {"", "{}", R"({"status":{}})", R"({"status":{"allowed":"yes"}})"}) {
    EXPECT_FALSE(is_allowed(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace bellows::cli
