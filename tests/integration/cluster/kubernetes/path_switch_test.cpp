// Paths switch: one alone, without a wait, and five hundred at once. bench/paths_bench.cpp measures
// how fast.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"
#include "tests/integration/cluster/kubernetes/pretended_activators.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::PathState;

cluster::KubernetesOptions quick_paths() {
  cluster::KubernetesOptions options;
  options.paths = {.activator_service = "bellows-system/bellows-activator",
                   .ports = {.first = 22000, .last = 22999},
                   .settle = 40ms,
                   .has_last_resort = false};
  return options;
}

/// Looks now and then: a look at 500 revisions after each handler would be most of the work.
bool look_until(http::net::io_context& io, const std::function<bool()>& is_true) {
  const TimePoint end = sys::system_clock().now() + 300s;
  while (!is_true()) {
    if (sys::system_clock().now() > end) return false;
    io.restart();
    io.run_for(20ms);
  }
  return true;
}

/// Revisions r0, r1, ... whose Services have a ready replica, and one activator.
class SwitchWorld : public KubernetesWorld {
 public:
  explicit SwitchWorld(int revisions) : KubernetesWorld({}, quick_paths()), revisions_(revisions) {
    for (int i = 0; i < revisions; ++i) {
      const std::string name = "r" + std::to_string(i);
      apply(server, {.name = name, .replicas = 1});
      apply_service(server, "shop", name);
      apply_revision(server, "shop", name);
      server.store().put(
          endpoint_slices(),
          R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":)"
          R"("shop","name":")" +
              name + R"(-abcde","labels":{"kubernetes.io/service-name":")" + name +
              R"("}},"addressType":"IPv4","endpoints":[{"addresses":["10.1.1.1"],"conditions":)"
              R"({"ready":true}}],"ports":[{"name":"http","port":8012,"protocol":"TCP"}]})");
    }
    activators.set("a", true);
    activators.start();
    cluster.start();  // without controllers: the slices are what they are
  }
  ~SwitchWorld() {
    run_task<void>(io, [this]() -> http::Awaitable<void> { co_await activators.stop(); });
  }

  /// Every revision has its slice, and the activator listens for it.
  bool are_all_listed() {
    return look_until(io, [&] {
      int listed = 0;
      for (const cluster::RevisionPtr& each : cluster.revisions()) {
        if (!object(endpoint_slices(), name_of(each->id) + "-bellows").empty()) ++listed;
      }
      return listed == revisions_ && activators.listening("a") == revisions_;
    });
  }
  void route_all(bool through) {
    run_task<void>(io, [&]() -> http::Awaitable<void> {
      for (const cluster::RevisionPtr& each : cluster.revisions()) {
        cluster::PathOrder order;
        order.is_through_activators = through;
        cluster.route(each->id, std::move(order));
      }
      co_return;
    });
  }
  int written_ready() {
    int ready = 0;
    for (int i = 0; i < revisions_; ++i) {
      if (has(endpoint_slices(), "r" + std::to_string(i) + "-bellows", R"("ready":true)")) ++ready;
    }
    return ready;
  }

  PretendedActivators activators{io, server, cluster};

 private:
  static std::string name_of(const RevisionId& id) { return id.text().substr(5); }

  int revisions_;
};

double milliseconds_since(TimePoint start) {
  return to_seconds(sys::system_clock().now() - start) * 1e3;
}

TEST(PathSwitch, OneSliceIsWrittenAtOnce) {
  SwitchWorld world(1);
  ASSERT_TRUE(world.are_all_listed());
  std::vector<double> took;
  for (int i = 0; i < 60; ++i) {
    const bool is_through = i % 2 == 0;
    // Replicas count as ready for the settle time before activators leave.
    const TimePoint start = sys::system_clock().now();
    world.route_all(is_through);
    ASSERT_TRUE(world.wait_for([&] { return (world.written_ready() == 1) == is_through; }));
    took.push_back(milliseconds_since(start));
    ASSERT_TRUE(world.wait_for([&] {
      const PathState state = world.find("shop/r0")->path.state;
      return state == (is_through ? PathState::kHeld : PathState::kDirect);
    }));
  }
  std::ranges::sort(took);
  std::cout << "from the order to the slice written: p50 " << took[took.size() / 2] << " ms, p99 "
            << took[took.size() * 99 / 100] << " ms\n";
  EXPECT_LT(took.front(), 50)
      << "no timer is in between; a busy machine delays most of them, but not all";
}

TEST(PathSwitch, FiveHundredAtOnceAreAllWritten) {
  SwitchWorld world(500);
  ASSERT_TRUE(world.are_all_listed());
  world.route_all(true);
  ASSERT_TRUE(look_until(world.io, [&] { return world.written_ready() == 500; }));
}

}  // namespace
}  // namespace bellows::test
