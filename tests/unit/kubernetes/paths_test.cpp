#include <gtest/gtest.h>

#include "base/query.hpp"
#include "kubernetes/core/resource.hpp"

namespace bellows::kubernetes {
namespace {

TEST(Paths, CoreGroupAndNamedGroupsWithAndWithoutNamespace) {
  EXPECT_EQ(collection_path(pods()), "/api/v1/pods");
  EXPECT_EQ(collection_path(pods(), "shop"), "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(collection_path(deployments(), "shop"), "/apis/apps/v1/namespaces/shop/deployments");
  EXPECT_EQ(object_path(deployments(), "shop", "web", "scale"),
            "/apis/apps/v1/namespaces/shop/deployments/web/scale");
  EXPECT_EQ(object_path(namespaces(), {}, "shop"), "/api/v1/namespaces/shop");
}

TEST(Paths, ANameCannotLeaveItsPath) {
  EXPECT_EQ(object_path(pods(), "a/../b", "x?watch=1"),
            "/api/v1/namespaces/a%2F..%2Fb/pods/x%3Fwatch%3D1");
}

TEST(Paths, ApiVersionIsGroupAndVersion) {
  EXPECT_EQ(api_version(pods()), "v1");
  EXPECT_EQ(api_version(deployments()), "apps/v1");
  EXPECT_EQ(resource_of("apps/v1", "deployments"), deployments());
  EXPECT_EQ(resource_of("v1", "pods"), pods());
  EXPECT_EQ(to_string(deployments()), "deployments.apps");
}

TEST(Query, MembersStandInTheOrderOfTheCallsAndAreEncoded) {
  EXPECT_EQ(
      Query("/api/v1/pods")
          .add("watch", 1)
          .add("labelSelector", "bellows.dev/autoscale=true,tier in (a)")
          .add_unless_empty("continue", "")
          .target(),
      "/api/v1/pods?watch=1&labelSelector=bellows.dev%2Fautoscale%3Dtrue%2Ctier%20in%20%28a%29");
  EXPECT_EQ(Query("/x").target(), "/x");
}

}  // namespace
}  // namespace bellows::kubernetes
