// Names of pods, however long.
#include "slack/core/short_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

TEST(ShortText, HoldsTextsOfAnyLengthOneAfterTheOther) {
  ShortText text;
  EXPECT_EQ(text.view(), "");
  for (const std::size_t length : {1U, 39U, 40U, 253U, 39U, 0U}) {
    const std::string name(length, 'x');
    text = name;
    EXPECT_EQ(text.view(), name);
  }
  text = std::string(40, 'y');
  const ShortText moved = std::move(text);
  EXPECT_EQ(moved.view(), std::string(40, 'y'));
}

TEST(ShortText, PodsThatDifferBeyondWhatIsStoredInPlaceAreTwo) {
  Scene scene(rate(0));
  scene.nodes(1, amount(4000, 16 * kGi, 110));
  Cluster& cluster = scene.cluster();
  const ShapeId shape = cluster.intern(app_shape("app", amount(100, kGi)));
  const std::string node = cluster.node(0).name;
  const std::string name(60, 'x');
  ASSERT_TRUE(cluster.put_pod({name + "1", shape, node}));
  ASSERT_TRUE(cluster.put_pod({name + "2", shape, node}));
  EXPECT_EQ(cluster.pods(), 2U);
  ASSERT_TRUE(cluster.remove_pod(name + "1"));
  EXPECT_EQ(cluster.node_of(name + "1"), std::nullopt);
  EXPECT_EQ(cluster.node_of(name + "2"), NodeId{0});
  ASSERT_TRUE(cluster.put_pod({"default/short", shape, node}));  // where the long one was
  EXPECT_EQ(cluster.node_of("default/short"), NodeId{0});
  EXPECT_EQ(cluster.node_of(name + "2"), NodeId{0});
}

}  // namespace
}  // namespace bellows::slack
