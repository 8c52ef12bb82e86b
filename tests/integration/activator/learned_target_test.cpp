// The target that the slow brain of an autoscaler has learned, as the cluster lists it.
#include <gtest/gtest.h>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

TEST(ActivatorWithALearnedTarget, GivesAReplicaTwiceThatWhileOthersStart) {
  ActivatorWorld world;
  world.web().settings.container_concurrency = 0;
  world.web().settings.target = 100;
  world.web().learned_target = 2;
  world.web().requested = 3;
  Replica& replica = world.add_replica("web-1");
  replica.hold();
  for (int i = 0; i < 10; ++i) world.get("/");
  world.until([&] { return replica.running == 4; });
  world.until_waiting(6);
  world.web().learned_target = 3;
  world.cluster.publish();
  world.until([&] { return replica.running == 6; });
  world.until_waiting(4);
  world.web().learned_target.reset();
  world.cluster.publish();
  world.until([&] { return replica.running == 10; });
  replica.release();
}

}  // namespace
}  // namespace bellows::activator
