// Scale-up from zero without autoscaler and without cluster: the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/log.hpp"
#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::HasSubstr;

std::vector<std::string> lines_of_outage;

/// An activator whose orders fail, and its log.
class ActivatorOutage : public ::testing::Test {
 protected:
  ActivatorOutage() {
    lines_of_outage.clear();
    sys::log::set_sink([](std::string_view line) { lines_of_outage.emplace_back(line); });
    world.cluster.takes_orders = false;
  }
  ~ActivatorOutage() override { sys::log::set_sink(nullptr); }

  static std::ptrdiff_t logged(const std::string& service) {
    const std::string line = "could not order a replica without the autoscaler  service=" + service;
    return std::count_if(
        lines_of_outage.begin(), lines_of_outage.end(),
        [&](const std::string& logged) { return logged.find(line) != std::string::npos; });
  }

  /// Waits for this many more orders, one each second.
  void orders(std::size_t count) {
    const std::size_t before = world.cluster.orders.size();
    for (std::size_t i = 1; i <= count; ++i) {
      world.until([&] { return world.cluster.orders.size() == before + i; });
      world.pass(milliseconds(1050));
    }
  }

  ActivatorWorld world{false};
};

TEST_F(ActivatorOutage, IsLoggedOncePerColdStart) {
  world.get("/");
  orders(5);
  EXPECT_EQ(logged("web"), 1);
  world.cluster.takes_orders = true;
  orders(2);
  world.cluster.takes_orders = false;
  orders(2);
  EXPECT_EQ(logged("web"), 2) << "another outage";
}

TEST_F(ActivatorOutage, IsLoggedAgainInTheNextColdStart) {
  Caller& first = world.get("/");
  orders(2);
  world.add_replica("web-1");
  world.until_done(first);
  world.unlist("web-1");
  world.pass(minutes(1));
  world.get("/");
  orders(2);
  EXPECT_EQ(logged("web"), 2);
}

TEST_F(ActivatorOutage, IsNotLoggedForEachCallerThatArrivesAndLeaves) {
  for (int i = 0; i < 20; ++i) {
    Caller& caller = world.get("/");
    world.until_waiting(1);
    caller.hang_up();
    world.until_waiting(0);
  }
  EXPECT_EQ(logged("web"), 1);
}

TEST_F(ActivatorOutage, OfAPausedServiceOrdersNothing) {
  world.cluster.takes_orders = true;
  world.web().state = cluster::RevisionState::kPaused;
  world.cluster.publish();
  world.get("/");
  world.until_waiting(1);
  for (int i = 0; i < 5; ++i) world.pass(milliseconds(1050));
  EXPECT_TRUE(world.cluster.orders.empty());
  world.web().state = cluster::RevisionState::kActive;
  world.cluster.publish();
  world.pass(milliseconds(1050));
  world.until([&] { return !world.cluster.orders.empty(); });
}

TEST_F(ActivatorOutage, IsLoggedForEachService) {
  world.web().route.host = "web.example";
  cluster::Revision shop = world.web();
  shop.id = RevisionId("shop");
  shop.route.host = "shop.example";
  world.cluster.truth.insert(world.cluster.truth.begin(), shop);
  world.cluster.publish();
  world.get("/");
  world.get("/", "Host: shop.example\r\n");
  world.until([&] { return world.cluster.orders.size() == 2; });
  EXPECT_EQ(logged("web"), 1);
  EXPECT_EQ(logged("shop"), 1);
}

TEST(ActivatorFailureMessage, AtZeroIsWhyNoReplicaCanBeOrderedAndEndsWithIt) {
  ActivatorWorld world;
  Caller& waits = world.get("/a");
  world.until_waiting(1);
  world.web().requested = 1;  // ordered, and not carried out
  world.web().order_failure = "the API server cannot be reached";
  world.cluster.publish();
  world.until_done(waits);
  EXPECT_EQ(waits.status(), 503);
  EXPECT_THAT(waits.body(), HasSubstr("service web: the API server cannot be reached"));
  EXPECT_THAT(waits.answer(), HasSubstr("Retry-After: "));
  world.web().order_failure.clear();
  world.cluster.publish();
  Caller& next = world.get("/b");
  world.until_waiting(1);
  world.add_replica("web-1");
  world.until_done(next);
  EXPECT_EQ(next.status(), 200);
}

}  // namespace
}  // namespace bellows::activator
