// The planner against the slow reference, over random clusters that change; and what always holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "tests/unit/slack/reference.hpp"
#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

/// Where everything is: pods by name, placeholders by shape and node.
struct Picture {
  std::map<std::string, std::string> pods;
  std::map<std::string, std::int64_t> placeholders;
  std::vector<std::string> scale_down;
  bool operator==(const Picture&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Picture& picture) {
  for (const auto& [pod, node] : picture.pods) out << pod << "@" << node << " ";
  out << "| ";
  for (const auto& [where, count] : picture.placeholders) out << where << " x" << count << " ";
  out << "| down ";
  for (const std::string& node : picture.scale_down) out << node << " ";
  return out;
}

std::string place_text(const Shape& shape, const std::string& node) {
  return shape.name + " " + std::to_string(shape.requests.cpu_millicores) + "m@" + node;
}

Picture picture_of(Planner& planner, const Plan& plan) {
  Picture picture;
  const Cluster& cluster = planner.cluster();
  for (NodeId id = 0; id < cluster.nodes(); ++id) {
    for (const PodId pod : cluster.node(id).pods)
      picture.pods[std::string(cluster.pod(pod).name.view())] = cluster.node(id).name;
  }
  for (const auto& [shape, pods] : cluster.pending()) {
    for (const PodId pod : pods) picture.pods[std::string(cluster.pod(pod).name.view())] = "";
  }
  for (const auto& [id, one] : planner.placeholders().all()) {
    const std::string node = one.node == kNoNode ? "" : cluster.node(one.node).name;
    ++picture.placeholders[place_text(cluster.shapes()[one.shape], node)];
  }
  picture.scale_down = plan.scale_down;
  return picture;
}

Picture picture_of(const reference::World& world) {
  Picture picture;
  for (const auto& [name, pod] : world.pods) picture.pods[name] = pod.node;
  for (const auto& [age, one] : world.placeholders)
    ++picture.placeholders[place_text(world.shapes[one.shape], one.node)];
  picture.scale_down = world.removable;
  return picture;
}

/// One random cluster in both implementations.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed), scene_(settings()) {
    world_.settings = scene_.planner.settings();
    world_.types = {type("a", 1), type("b", 2)};
    if (roll(3) == 0) world_.types[1].taints = {{"only", "some", "NoSchedule"}};
    if (roll(2) == 0) world_.types[0].max_nodes = 4;
    scene_.planner.set_types(world_.types);
    make_shapes();
    for (int i = roll(6); i >= 0; --i) add_node();
    for (int i = roll(14); i > 0; --i) add_pod();
  }

  void compare() {
    for (int step = 0; step < 4; ++step) {
      const Plan& plan = scene_.planner.loop();
      // Without a change there is nothing to decide; the reference would think all of it anew.
      if (is_changed_) world_.loop();
      is_changed_ = !plan.ordered_now.empty();
      const Picture fast = picture_of(scene_.planner, plan);
      ASSERT_EQ(fast, picture_of(world_)) << "loop " << step;
      check_invariants(plan);
      for (std::size_t shape = 0; shape < app_shapes_; ++shape) {
        ASSERT_EQ(scene_.fits_now(world_.shapes[shape]), world_.fits_now(shape))
            << world_.shapes[shape].name;
      }
      for (int i = roll(4); i >= 0; --i) change();
    }
  }

 private:
  int roll(int sides) {
    return static_cast<int>(random_.next() % static_cast<std::uint64_t>(sides));
  }
  Settings settings() {
    Settings settings = rate(roll(4) * 100000);
    settings.granularity = 1 + roll(5);
    settings.scale_down_candidates = 1 + roll(5);
    return settings;
  }
  Resources size() { return amount(250 * (1 + roll(8)), kGi * (1 + roll(8)) / 2); }

  NodeType type(const std::string& name, int scale) {
    NodeType type = node_type(name, amount(2000 * scale, 4 * kGi * scale, 4 + roll(5)), scale);
    type.labels = {{"kind", name}};
    if (roll(2) == 0) type.labels.push_back({"zone", "z1"});
    return type;
  }

  void make_shapes() {
    for (int i = 0; i < 4; ++i) {
      Shape shape = app_shape("app" + std::to_string(i), size());
      if (roll(3) == 0) shape.anti_affinity.push_back(apart("app" + std::to_string(roll(4))));
      if (roll(4) == 0)
        shape.anti_affinity.push_back(apart("app" + std::to_string(roll(4)), "zone"));
      if (roll(4) == 0) shape.node_selectors = {{{"kind", Requirement::Operator::kIn, {"b"}}}};
      if (roll(3) == 0) shape.tolerations = {{"only", "", "", true}};
      shape.can_move = roll(5) != 0;
      world_.shapes.push_back(shape);
    }
    Shape daemon = app_shape("daemon", amount(100, kGi / 8));
    daemon.is_daemon = true;
    world_.shapes.push_back(daemon);
    app_shapes_ = 4;
    std::vector<Want> wants;
    for (std::size_t i = 0; i < 2; ++i) {
      if (roll(2) == 0) continue;
      const std::int64_t count = roll(4);
      world_.wanted.push_back({i, count});
      wants.push_back(
          {world_.shapes[i].name, "wanted", scene_.cluster().intern(world_.shapes[i]), count});
    }
    for (const Shape& shape : world_.shapes) scene_.cluster().intern(shape);
    scene_.planner.set_wanted(wants);
  }

  NodeSpec new_node() {
    const NodeType& type = world_.types[static_cast<std::size_t>(roll(2))];
    NodeSpec spec = node_spec("n" + std::to_string(1000 + next_++), type.allocatable, type.name);
    spec.labels = type.labels;
    if (!find_label(spec.labels, "zone") && roll(3) != 0)
      spec.labels.push_back({"zone", roll(2) == 0 ? "z1" : "z2"});
    spec.taints = type.taints;
    spec.is_ready = roll(8) != 0;
    spec.is_schedulable = roll(10) != 0;
    return spec;
  }
  void add_node() {
    const NodeSpec spec = new_node();
    is_changed_ = true;
    ASSERT_TRUE(scene_.planner.node_arrived(spec));
    world_.arrive(spec);
  }
  void add_pod() {
    const std::size_t shape = roll(8) == 0 ? 4 : static_cast<std::size_t>(roll(4));
    std::string node;
    const auto there = real_nodes();
    if (!there.empty() && (shape == 4 || roll(3) != 0))
      node = there[static_cast<std::size_t>(roll(static_cast<int>(there.size())))];
    if (shape == 4 && node.empty()) return;
    is_changed_ = true;
    const std::string name = "p" + std::to_string(1000 + next_++);
    world_.pods[name] = {name, shape, node, false};
    scene_.pod(name, world_.shapes[shape], node);
  }
  std::vector<std::string> real_nodes() const {
    std::vector<std::string> names;
    for (const auto& [name, node] : world_.nodes) {
      if (!node.is_upcoming) names.push_back(name);
    }
    return names;
  }

  void change() {
    const auto there = real_nodes();
    switch (roll(6)) {
      case 0:
        return add_node();
      case 1:
      case 2:
        return add_pod();
      case 3: {
        if (world_.pods.empty()) return;
        const auto pod = std::next(world_.pods.begin(), roll(static_cast<int>(world_.pods.size())));
        is_changed_ = true;
        scene_.remove_pod(pod->first);
        world_.pods.erase(pod);
        return;
      }
      case 4: {
        if (there.empty()) return;
        const std::string name =
            there[static_cast<std::size_t>(roll(static_cast<int>(there.size())))];
        is_changed_ = true;
        scene_.remove_node(name);
        world_.remove_node(name);
        return;
      }
      default: {
        if (there.empty()) return;
        const std::string name =
            there[static_cast<std::size_t>(roll(static_cast<int>(there.size())))];
        NodeSpec& spec = world_.nodes.at(name).spec;
        (roll(2) == 0 ? spec.is_ready : spec.is_schedulable) ^= true;
        is_changed_ = true;
        scene_.node(spec);
      }
    }
  }

  void check_invariants(const Plan& plan) {
    const Cluster& cluster = scene_.cluster();
    for (NodeId id = 0; id < cluster.nodes(); ++id) {
      const Node& node = cluster.node(id);
      if (node.held == Resources{}) continue;
      ASSERT_TRUE(fits({}, node.free())) << "over-committed: " << node.name;
    }
    std::map<std::string, std::int64_t> nowhere;
    for (const auto& [id, one] : scene_.planner.placeholders().all()) {
      if (one.node == kNoNode) ++nowhere[cluster.shapes()[one.shape].name];
    }
    for (const ShapePlan& one : plan.placeholders) {
      ASSERT_EQ(one.count, one.placed + one.pending);
      const bool is_explained =
          nowhere[one.shape] == 0 ||
          std::any_of(plan.unmet.begin(), plan.unmet.end(), [&one](const Unmet& unmet) {
            return unmet.object == "placeholder " + one.shape;
          });
      ASSERT_TRUE(is_explained) << one.shape;
    }
  }

  SeededRandom random_;
  Scene scene_;
  reference::World world_;
  std::size_t app_shapes_ = 0;
  bool is_changed_ = true;
  int next_ = 0;
};

/// Ten parts of a thousand clusters each, so that they can run side by side.
class RandomClusters : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomClusters, ArePlannedAsTheSlowReferenceDoes) {
  const std::uint64_t first = GetParam() * 1000;
  for (std::uint64_t seed = first + 1; seed <= first + 1000; ++seed) {
    Pair(seed).compare();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(TenThousand, RandomClusters, testing::Range<std::uint64_t>(0, 10));

TEST(Planner, DoesNotDependOnTheOrderOfItsInput) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SeededRandom random(seed);
    std::vector<NodeSpec> nodes;
    std::vector<std::pair<std::string, Shape>> pods;
    for (int i = 0; i < 8; ++i)
      nodes.push_back(
          node_spec("n" + std::to_string(i), amount(2000 + 500 * (i % 3), 8 * kGi, 20)));
    for (int i = 0; i < 24; ++i) {
      const auto app = static_cast<int>(random.next() % 5);
      pods.emplace_back("p" + std::to_string(100 + i),
                        app_shape("app" + std::to_string(app), amount(200 + 150 * app, kGi)));
    }
    std::vector<Picture> pictures;
    for (int turn = 0; turn < 2; ++turn) {
      Scene scene(rate(200000));
      scene.planner.set_types({node_type("m", amount(2000, 8 * kGi, 20))});
      for (const NodeSpec& spec : nodes) scene.node(spec);
      for (const auto& [name, shape] : pods) scene.pod(name, shape);
      pictures.push_back(picture_of(scene.planner, scene.loop()));
      std::reverse(nodes.begin(), nodes.end());
      std::reverse(pods.begin(), pods.end());
    }
    ASSERT_EQ(pictures[0], pictures[1]) << "seed " << seed;
  }
}

}  // namespace
}  // namespace bellows::slack
