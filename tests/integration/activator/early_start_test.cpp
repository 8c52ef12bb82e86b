// Starting replicas that take requests before the cluster calls them ready.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::seconds;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EarlyStartTest : public testing::Test {
 protected:
  Replica& starting(const std::string& name) {
    world_.replicas.push_back(std::make_unique<Replica>(world_.reactor, name));
    Replica& replica = *world_.replicas.back();
    world_.web().requested = 1;
    world_.list_starting(replica);
    return replica;
  }

  ActivatorWorld world_{true, {}, true};
};

TEST_F(EarlyStartTest, AHeldRequestGoesToAStartingReplicaThatAnswers) {
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  Replica& replica = starting("web-1");
  world_.until_done(caller);
  EXPECT_EQ(caller.body(), "web-1 /a");
  EXPECT_GE(replica.probes, 1);
  Caller& next = world_.get("/b");
  world_.until_done(next);
  EXPECT_EQ(next.body(), "web-1 /b") << "it takes requests from then on";
}

TEST_F(EarlyStartTest, AReplicaWithoutItsAppIsAskedUntilItHasIt) {
  world_.get("/a");
  world_.until_waiting(1);
  Replica& replica = starting("web-1");
  replica.lose_app();
  world_.until([&] { return replica.probes >= 3; });
  EXPECT_EQ(world_.waiting(), 1);
  replica.find_app();
  world_.until_waiting(0);
  world_.until([&] { return world_.in_flight() == 0; });
  EXPECT_THAT(replica.paths, Eq(std::vector<std::string>{"/a"}));
}

TEST_F(EarlyStartTest, NobodyIsAskedWhileNoRequestWaits) {
  Replica& replica = starting("web-1");
  Caller& caller = world_.get("/", "Host: a\r\nUser-Agent: kube-probe/1.29\r\n");
  world_.until_done(caller);
  EXPECT_EQ(replica.probes, 0);
  EXPECT_THAT(world_.sink.triggers, IsEmpty());
}

TEST_F(EarlyStartTest, AReplicaStaysInServiceWhenTheClusterCallsItReady) {
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  Replica& replica = starting("web-1");
  world_.until_done(caller);
  replica.hold();
  Caller& held = world_.get("/b");
  world_.until([&] { return replica.running == 1; });
  world_.list(replica);
  EXPECT_EQ(world_.in_flight(), 1);
  replica.release();
  world_.until_done(held);
  EXPECT_EQ(held.body(), "web-1 /b");
  EXPECT_THAT(world_.registry.expose(), HasSubstr("bellows_activator_ejected_replicas"));
}

TEST_F(EarlyStartTest, AFoundReplicaThatIsNoLongerReadyHasToBeFoundAnew) {
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  Replica& replica = starting("web-1");
  world_.until_done(caller);
  world_.list(replica);
  replica.lose_app();
  world_.list_starting(replica);
  Caller& held = world_.get("/b");
  world_.until_waiting(1);
  const int before = replica.probes;
  world_.until([&] { return replica.probes > before; });
  replica.find_app();
  world_.until_done(held);
  EXPECT_EQ(held.body(), "web-1 /b");
}

TEST_F(EarlyStartTest, AReplicaThatLeavesTakesNothingMore) {
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  starting("web-1");
  world_.until_done(caller);
  world_.unlist("web-1");
  world_.get("/b");
  world_.until_waiting(1);
  EXPECT_EQ(world_.in_flight(), 0);
}

}  // namespace
}  // namespace bellows::activator
