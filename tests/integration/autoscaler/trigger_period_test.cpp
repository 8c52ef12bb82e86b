// Triggers in the whole service: decided at their own period, and their points outlive a kill.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "autoscaler/service/state_changes.hpp"
#include "tests/integration/autoscaler/autoscaler_world.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::autoscaler {
namespace {

using test::AutoscalerWorld;

config::RevisionSettings rooms(PodCount min) {
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.autoscaling = R"({"min":)" + std::to_string(min) + R"(,"max":20,
      "up":{"cooldown":60,"metricsTrigger":[{"type":"room","usage":50,"threshold":80,"time":100}]},
      "down":{"cooldown":60,"metricsTrigger":[{"type":"room","usage":20,"threshold":80,"time":100}]}})";
  return settings;
}

std::uint64_t decisions(const AutoscalerWorld& world) {
  const auto& counts = world.service->registry().find(RevisionId("web"))->decisions;
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(TriggersInTheService, AreDecidedOnceAPeriodAndAtOnceWithOtherSettings) {
  AutoscalerWorld world;
  world.deploy(2, rooms(1));
  const std::uint64_t begun = decisions(world);
  world.seconds(100, 2, 0);
  EXPECT_EQ(decisions(world) - begun, 10U);
  const std::uint64_t before = decisions(world);
  world.cluster.truth("web").settings = rooms(4);
  world.cluster.publish();
  world.run();
  EXPECT_EQ(decisions(world) - before, 1U);
  EXPECT_EQ(world.last().replicas, 4);
  config::RevisionSettings plain = AutoscalerWorld::ten_per_replica();
  world.cluster.truth("web").settings = plain;
  world.cluster.publish();
  const std::uint64_t other = decisions(world);
  world.seconds(20, 2, 0);
  EXPECT_EQ(decisions(world) - other, 10U) << "every 2 s again";
}

TEST(TriggersInTheService, BesideTheLoadAreDecidedAsOftenAsTheLoad) {
  AutoscalerWorld world;
  config::RevisionSettings both = rooms(1);
  both.policy = "concurrency, triggers";
  world.deploy(2, both);
  const std::uint64_t begun = decisions(world);
  world.seconds(100, 2, 0);
  EXPECT_EQ(decisions(world) - begun, 50U);
}

/// A second in which three of four rooms are occupied.
void busy_second(AutoscalerWorld& world) {
  world.clock.advance(std::chrono::seconds(1));
  for (const char* pod : {"web-1", "web-2", "web-3"}) world.report(pod, 1);
  world.report("web-4", 0);
  world.service->tick();
  world.run();
}

/// One autoscaler of the two is killed again and again.
TEST(TriggersInTheService, KeepEveryPointOverKills) {
  const bellows::test::TemporaryFolder folder;
  const std::string file = folder.path("state.json");
  AutoscalerWorld whole;
  AutoscalerWorld killed;
  killed.start(file);
  for (AutoscalerWorld* world : {&whole, &killed}) world->deploy(4, rooms(1));
  for (int second = 1; second <= 100; ++second) {
    if (second % 23 == 0) killed.start(file);
    for (AutoscalerWorld* world : {&whole, &killed}) busy_second(*world);
    if (second == 75) {
      EXPECT_EQ(killed.last().replicas, 4) << "80 % of 100 s have not passed";
    }
  }
  EXPECT_EQ(whole.last().replicas, 6);
  EXPECT_EQ(killed.last().replicas, 6) << "after four kills";
}

TEST(TriggersInTheService, AppendsToTheFileWhatADecisionChanged) {
  const bellows::test::TemporaryFolder folder;
  const std::string file = folder.path("state.json");
  const std::string changes = file + std::string(kChangesSuffix);
  AutoscalerWorld world;
  world.start(file);
  world.deploy(2, rooms(1));
  world.seconds(20, 2, 0);
  const auto written = std::filesystem::last_write_time(file);
  const auto begun = std::filesystem::file_size(changes);
  world.seconds(40, 2, 0);
  EXPECT_EQ(std::filesystem::last_write_time(file), written) << "the whole is not written anew";
  const auto grown = std::filesystem::file_size(changes) - begun;
  EXPECT_GT(grown, 0U);
  EXPECT_LT(grown, 4 * 300U) << "four points of one revision";
}

TEST(TriggersInTheService, OneThatIsGoneLeavesTheFile) {
  const bellows::test::TemporaryFolder folder;
  const std::string file = folder.path("state.json");
  AutoscalerWorld world;
  world.start(file);
  world.deploy(2, rooms(1));
  world.seconds(5, 2, 0);
  EXPECT_TRUE(read_saved_states(file)->states.revisions.contains(RevisionId("web")));
  world.cluster.remove("web");
  world.run();
  world.pass(std::chrono::seconds(1));
  EXPECT_TRUE(read_saved_states(file)->states.revisions.empty());
}

}  // namespace
}  // namespace bellows::autoscaler
