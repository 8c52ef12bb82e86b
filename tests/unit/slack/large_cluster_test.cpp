// R10: 5,000 nodes and 150,000 pods. What a loop does is counted, so that the promise does not hang
// on the speed of a machine; bench/slack_bench.cpp has the times.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

constexpr int kShapes = 300;

/// Nodes of 16 cores with 30 pods each; a tenth of the nodes has only six.
class Large {
 public:
  explicit Large(int nodes, std::int64_t rate_millionths = 100000)
      : scene(rate(rate_millionths)), nodes_(nodes) {
    scene.planner.set_types({node_type("m", kLargeNode)});
    for (int i = 0; i < kShapes; ++i)
      shapes_.push_back(scene.cluster().intern(
          app_shape("app" + std::to_string(i), amount(300 + i % 7 * 50, kGi + i % 5 * kGi / 4))));
    for (int node = 0; node < nodes; ++node) {
      scene.node(node_spec(name(node), kLargeNode));
      const int pods = node % 10 == 0 ? 6 : 30;
      for (int pod = 0; pod < pods; ++pod) add_pod(shapes_[random_.next() % kShapes], name(node));
    }
  }

  static std::string name(int node) { return "m-" + std::to_string(100'000 + node); }
  void add_pod(ShapeId shape, const std::string& node) {
    names_.push_back("default/p" + std::to_string(1'000'000 + next_++));
    ASSERT_TRUE(scene.cluster().put_pod({names_.back(), shape, node}));
  }
  void churn(int pods) {
    for (int i = 0; i < pods; ++i) {
      std::swap(names_[random_.next() % names_.size()], names_.back());
      scene.remove_pod(names_.back());
      names_.pop_back();
      add_pod(shapes_[random_.next() % kShapes],
              name(static_cast<int>(random_.next() % static_cast<std::uint64_t>(nodes_))));
    }
  }
  ShapeId shape(int i) const { return shapes_[static_cast<std::size_t>(i)]; }

  Scene scene;

 private:
  static constexpr Resources kLargeNode{16000, std::int64_t{64} << 30U, 110};
  int nodes_;
  std::vector<ShapeId> shapes_;
  std::vector<std::string> names_;
  SeededRandom random_{7};
  int next_ = 0;
};

TEST(R10, AQuietLoopOfFiveThousandNodesDoesNothing) {
  Large large(5000);
  large.scene.settle();
  const Plan& quiet = large.scene.loop();
  EXPECT_EQ(quiet.work, Work{});
  EXPECT_EQ(quiet.moved(), 0);
}

TEST(R10, AChurnOfOnePercentVisitsAFractionOfTheNodes) {
  Large large(5000);
  large.scene.settle();
  large.churn(1500);
  const Plan& plan = large.scene.loop();
  // 30 candidates for removal of some shapes each; never a pass over the nodes for each pod.
  EXPECT_LE(plan.work.nodes_visited, 30'000U);
  EXPECT_LE(plan.work.groups, 1500U);
  EXPECT_LE(plan.work.placements, 1500U) << "no more than the pods that came";
  EXPECT_LE(plan.work.evictions, 1500U);
  EXPECT_LE(plan.work.shapes_visited, 2U * kShapes);
  EXPECT_LE(plan.work.candidates, 30U);
}

TEST(R10, ToFetchAheadChangesNothing) {
  Large large(50);
  large.scene.settle();
  Cluster& cluster = large.scene.cluster();
  const std::uint64_t version = cluster.version();
  std::vector<std::string_view> names(100, "default/p1000000");
  names[1] = "default/unknown";
  names[2] = "";
  cluster.fetch_ahead(names);
  cluster.fetch_ahead({});
  EXPECT_EQ(cluster.version(), version);
  EXPECT_EQ(large.scene.loop().work, Work{});
}

TEST(R10, ThirtyThousandPendingPodsTakeOnePassForEachShape) {
  Large large(5000);
  for (int i = 0; i < 30'000; ++i) large.add_pod(large.shape(i % kShapes), "");
  const Plan& plan = large.scene.loop();
  EXPECT_LE(plan.work.groups, 4U * (kShapes + 1));
  EXPECT_LE(plan.work.nodes_visited, plan.work.groups * 5500);
  // In fact far fewer: the index starts where a pod may fit.
  EXPECT_LE(plan.work.nodes_visited, 500'000U);
  EXPECT_FALSE(plan.ordered_now.empty());
  EXPECT_TRUE(plan.unmet.empty());
}

TEST(R10, CostsGrowNoFasterThanTheCluster) {
  std::vector<double> visits;
  for (const int nodes : {500, 5000}) {
    Large large(nodes);
    large.scene.settle();
    large.churn(nodes * 3 / 10);
    visits.push_back(static_cast<double>(large.scene.loop().work.nodes_visited) / nodes);
  }
  EXPECT_LE(visits[1], visits[0] * 1.5);
}

}  // namespace
}  // namespace bellows::slack
