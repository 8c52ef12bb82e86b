#include "cli/kubernetes/cluster_flags.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::cli {
namespace {

TEST(ANameOnACluster, IsInTheGivenNamespaceUnlessItNamesOne) {
  EXPECT_EQ(namespaced_name("web", "shop"), (NamespacedName{"shop", "web"}));
  EXPECT_EQ(namespaced_name("other/web.v2", "shop"), (NamespacedName{"other", "web.v2"}));
}

TEST(ANameOnACluster, CannotLeaveItsPlaceInAPath) {
  for (const char* word : {"", "/", "a/", "/a", "a/b/c", "a b", "../x", "A", "a?b", "-a", "a/.b"}) {
    EXPECT_FALSE(namespaced_name(word, "shop").has_value()) << word;
  }
  EXPECT_TRUE(namespaced_name(std::string(253, 'a'), "shop").has_value());
  EXPECT_FALSE(namespaced_name(std::string(254, 'a'), "shop").has_value());
  EXPECT_FALSE(namespaced_name(std::string(64, 'a') + "/b", "shop").has_value());
}

TEST(FlagsOfACluster, NameOneIfAnyOfThemIsSetButTheServiceAlone) {
  const auto named = [](const char* flag, const char* value) {
    const auto flags = cluster_flags_schema().apply({config::Layer{config::flag(flag, value)}});
    return flags.has_value() && flags->name_a_cluster();
  };
  EXPECT_FALSE(cluster_flags_schema().apply({config::Layer()})->name_a_cluster());
  EXPECT_TRUE(named("context", "staging"));
  EXPECT_TRUE(named("namespace", "shop"));
  EXPECT_TRUE(named("n", "shop"));
  EXPECT_TRUE(named("kubeconfig", "file"));
  EXPECT_TRUE(named("all-namespaces", "true"));
  EXPECT_FALSE(named("autoscaler-service", "a/b"));
}

TEST(TheServiceOfTheAutoscaler, HasANamespaceAndAName) {
  const auto valid = [](const char* value) {
    return cluster_flags_schema()
        .apply({config::Layer{config::flag("autoscaler-service", value)}})
        .has_value();
  };
  EXPECT_TRUE(valid("bellows-system/bellows-autoscaler"));
  EXPECT_FALSE(valid("bellows-autoscaler"));
  EXPECT_FALSE(valid("a/b/c"));
}

}  // namespace
}  // namespace bellows::cli
