// Replicas that the cluster calls ready and that nothing but its own nodes can reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using ::testing::HasSubstr;

class UnreachableReplicaTest : public testing::Test {
 protected:
  /// The time by hand runs ahead of the sockets of a busy machine: a request that waits has to wait
  /// for as long as the test looks.
  UnreachableReplicaTest() {
    world_.web().settings.queue_age = std::chrono::hours(24);
    world_.web().settings.request_timeout = Duration::zero();
  }

  bool is_told(int replicas) {
    world_.service->refresh_gauges();
    return world_.registry.expose().find(
               "bellows_activator_unreachable_replicas{revision=\"web\",service=\"web\"} " +
               std::to_string(replicas) + "\n") != std::string::npos;
  }
  bool says_unreachable(std::uint64_t replicas) {
    return !world_.sink.stats.empty() && world_.sink.stats.back().unreachable == replicas;
  }
  ActivatorWorld world_;
};

TEST_F(UnreachableReplicaTest, IsToldAfterTenSecondsWhileARequestWaits) {
  world_.add_replica("web-1").kill();
  world_.get("/a");
  world_.until_waiting(1);
  const TimePoint start = world_.clock.now();
  world_.until_in_time([&] { return is_told(1); });
  EXPECT_GE(world_.clock.now() - start, kUnreachableAfter);
}

TEST_F(UnreachableReplicaTest, TheAutoscalerIsToldEachSecondUntilAReplicaAnswers) {
  world_.add_replica("web-1").kill();
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  world_.until_in_time([&] { return says_unreachable(1); });
  world_.sink.stats.clear();
  world_.until_in_time([&] { return says_unreachable(1); });
  world_.add_replica("web-2");
  world_.until_in_time([&] { return caller.is_done(); });
  world_.sink.stats.clear();
  world_.until_in_time([&] { return says_unreachable(0); });
}

TEST_F(UnreachableReplicaTest, IsNotToldOfAnAppThatIsNotReady) {
  Replica& replica = world_.add_replica("web-1");
  replica.lose_app();
  Caller& caller = world_.get("/a");
  const TimePoint start = world_.clock.now();
  world_.until_in_time([&] { return world_.clock.now() >= start + 2 * kUnreachableAfter; });
  EXPECT_TRUE(is_told(0)) << "its queue-proxy answers";
  replica.find_app();
  world_.until_in_time([&] { return caller.is_done() || world_.waiting() == 0; });
}

TEST_F(UnreachableReplicaTest, IsNoLongerToldOnceAReplicaAnswers) {
  world_.add_replica("web-1").kill();
  Caller& caller = world_.get("/a");
  world_.until_waiting(1);
  world_.until_in_time([&] { return is_told(1); });
  world_.add_replica("web-2");
  world_.until_in_time([&] { return caller.is_done(); });
  EXPECT_THAT(caller.answer(), HasSubstr("web-2 /a"));
  EXPECT_TRUE(is_told(0));
}

}  // namespace
}  // namespace bellows::activator
