// Which handles the router keeps.
#include "activator/service/revision_router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A router that follows a cluster with one revision, "web".
struct RouterWorld : ActivatorFixture {
  RouterWorld() {
    cluster.truth.emplace_back().id = RevisionId("web");
    cluster.publish();
    router.sync();
  }

  ScaleFromZeroNotifier notifier{
      reactor, cluster, sink, {PodName("activator"), 1}, [] { return true; }};
  WorkerLock lock;
  QueueStats stats{sink, lock, {PodName("activator"), 1}, clock.now()};
  ReplicaProber prober{io};
  SeededRandom random{1};
  PageFiles pages{io, lock};
  RevisionDependencies dependencies{reactor,  stats, notifier, prober, random,
                                    registry, {},    nullptr,  lock,   pages};
  RevisionRouter router{cluster, dependencies};
};

/// Another worker may come by the revision's own port until that is told, too.
TEST(RevisionRouter, KeepsARemovedHandleUntilNobodyRefersToItAnyMore) {
  RouterWorld world;
  RevisionHome* const home = world.router.home_of(RevisionId("web"));
  ASSERT_NE(home, nullptr);
  home->handle().count_held(std::chrono::seconds(1));
  ASSERT_THAT(world.registry.expose(), HasSubstr("web")) << "its series are there as long as it";
  world.cluster.truth.clear();
  world.cluster.publish();
  world.router.sync();
  EXPECT_EQ(world.router.home_of(RevisionId("web")), nullptr);
  EXPECT_THAT(world.registry.expose(), HasSubstr("web"));
  world.router.destroy_ended();
  EXPECT_THAT(world.registry.expose(), Not(HasSubstr("web")));
}

}  // namespace
}  // namespace bellows::activator
