#include "cluster/kubernetes/core/pod_usage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/kubernetes/core/directory.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using test::kWeb;
using test::pod;
using testing::ElementsAre;
using testing::HasSubstr;

const WallTime kMeasured = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 1h);

TEST(UsageOfAPod, IsWithoutItsQueueProxyAndForTwoMinutes) {
  const auto measured = test::object<kubernetes::PodMetrics>(
      "{'metadata':{'name':'web-1','namespace':'shop'},'timestamp':'2026-11-23T01:00:00Z',"
      "'containers':[{'name':'app','usage':{'cpu':'100m','memory':'10Mi'}},"
      "{'name':'queue-proxy','usage':{'cpu':'9','memory':'9Gi'}},"
      "{'name':'log','usage':{'cpu':'20m','memory':'2Mi'}}]}");
  EXPECT_EQ(usage_of(*measured, kMeasured), (Usage{.cpu = {120}, .memory = mebibytes(12)}));
  EXPECT_TRUE(usage_of(*measured, kMeasured + 2min));
  EXPECT_FALSE(usage_of(*measured, kMeasured + 2min + 1s)) << "late";
  EXPECT_FALSE(usage_of(*measured, kMeasured - 3min)) << "a clock is wrong";
}

/// A Directory with the Revision web and its Deployment.
class UsedPods : public testing::Test {
 protected:
  explicit UsedPods(const test::DeploymentText& text = {}) {
    directory.kind_known("apps/Deployment", {});
    directory.revision_changed(nullptr, test::revision());
    directory.target_changed("apps/Deployment", nullptr, test::deployment(text));
  }
  /// Returns the new versions of web; none if nothing has changed.
  std::vector<std::shared_ptr<Revision>> refresh(Duration after) {
    return directory.refresh({.now = TimePoint(100s + after), .wall = kMeasured + after}).revisions;
  }
  std::vector<std::string> without_effect() const {
    std::vector<std::string> names;
    for (const auto& each : directory.find(kWeb)->standing().without_effect) {
      names.push_back(each.setting);
    }
    return names;
  }
  static PodUsages usage_of_first(std::int64_t millicores) {
    return {{"shop/web-abc-1", {.cpu = {millicores}, .memory = mebibytes(32)}}};
  }

  Directory directory;
};

TEST_F(UsedPods, HaveTheirUsageInTheirReplicasUntilItIsUnknown) {
  directory.pod_changed(nullptr, pod());
  directory.pod_changed(nullptr, pod({.name = "web-abc-2"}));
  const auto unmeasured = refresh(10s);
  directory.usages_changed(usage_of_first(120), {});
  const auto measured = refresh(11s);
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_EQ(measured[0]->replicas[0]->usage, (Usage{.cpu = {120}, .memory = mebibytes(32)}));
  EXPECT_EQ(measured[0]->replicas[1], unmeasured[0]->replicas[1]) << "nothing is known of it";
  directory.usages_changed(usage_of_first(120), {});
  EXPECT_TRUE(refresh(12s).empty()) << "the same again";
  directory.usages_changed({}, "the metrics API is away");
  const auto unknown = refresh(13s);
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0]->replicas[0]->usage, std::nullopt);
}

class UtilizationSettings : public UsedPods {
 protected:
  UtilizationSettings()
      : UsedPods({.annotations = "{'bellows.dev/cpu-utilization':'70',"
                                 "'bellows.dev/memory-utilization':'80'}"}) {}
};

TEST_F(UtilizationSettings, HaveNoEffectWithoutUsageOrRequests) {
  directory.pod_changed(
      nullptr,
      pod({.spec = "{'containers':[{'name':'app','resources':{'requests':{'cpu':'1'}}}]}"}));
  refresh(10s);
  EXPECT_THAT(without_effect(), ElementsAre("cpu-utilization", "memory-utilization"))
      << "not read yet";
  directory.usages_changed({}, {});
  refresh(11s);
  EXPECT_THAT(without_effect(), ElementsAre("memory-utilization")) << "the pod requests no memory";
  EXPECT_THAT(directory.find(kWeb)->standing().without_effect.at(0).because,
              HasSubstr("resources.requests.memory"));
  directory.usages_changed({}, "the metrics API is away");
  refresh(12s);
  EXPECT_THAT(without_effect(), ElementsAre("cpu-utilization", "memory-utilization"));
}

}  // namespace
}  // namespace bellows::cluster
