// Diaries of changes of shares: at t, with these replicas, expect that.
#include "machine/service/rollout_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;
using testing::HasSubstr;

/// "web" goes to its second revision.
Result<void> begin(ServiceWorld& world) {
  ServiceRecord next = world.web();
  const Number number = revision_for(next, ServiceWorld::two()).number;
  return world.rollouts.begin(std::move(next), {{number, 100}}, {});
}

Stage stage(const ServiceWorld& world) {
  return world.rollouts.find(world.id("web"))->rollout.stage();
}

TEST(RolloutRunner, SharesChangeWhenTheReplicasAreReady) {
  ServiceWorld world(3);
  ASSERT_TRUE(begin(world));
  EXPECT_EQ(world.saved().at(world.id("web")).under_way, "deploy to web-00002=100");
  world.pass(1s);
  EXPECT_EQ(stage(world), Stage::kStarting);
  EXPECT_EQ(world.host.at("web-00001").share, 100);
  world.host.set_ready("web-00002", 3);
  world.pass(1s);
  EXPECT_EQ(stage(world), Stage::kDone);
  EXPECT_EQ(world.host.at("web-00002").share, 100);
  EXPECT_EQ(world.web().shares(), (Shares{{2, 100}}));
  EXPECT_TRUE(world.web().under_way.empty());
  EXPECT_EQ(world.saved(), world.store.records());
  world.pass(1s);
  EXPECT_FALSE(world.host.has("web-00001")) << "nothing leads to it";
}

TEST(RolloutRunner, AFailureLeavesTheSharesAndKeepsTheReason) {
  ServiceWorld world;
  ASSERT_TRUE(begin(world));
  world.host.set_failure("web-00002", "the app exited with code 3");
  world.host.set_last_lines("web-00002", {"FATAL: no database"});
  world.pass(1s);
  EXPECT_EQ(stage(world), Stage::kFailed);
  EXPECT_EQ(world.host.at("web-00001").share, 100);
  EXPECT_FALSE(world.host.has("web-00002"));
  EXPECT_THAT(world.web().find(2)->failure, HasSubstr("exited with code 3"));
  EXPECT_EQ(world.rollouts.find(world.id("web"))->last_lines,
            std::vector<std::string>{"FATAL: no database"});
  EXPECT_EQ(world.saved(), world.store.records());
  EXPECT_FALSE(world.has_work());
}

TEST(RolloutRunner, WhatCannotEvenStartIsUndone) {
  ServiceWorld world;
  world.host.refuse_next("no such program");
  EXPECT_FALSE(begin(world));
  EXPECT_TRUE(world.web().under_way.empty());
  EXPECT_EQ(world.saved(), world.store.records());
  EXPECT_FALSE(world.has_work());
}

TEST(RolloutRunner, WhatWasLeavingLeavesWhenItsReturnCannotStart) {
  ServiceWorld world;
  ASSERT_TRUE(begin(world));
  world.host.set_ready("web-00002", 2);
  world.busy = {world.id("web-00001")};
  world.pass(1s);
  ASSERT_EQ(stage(world), Stage::kDone);
  world.pass(world.web().find(2)->content->settings->window);
  ServiceRecord next = world.web();
  const Number third = revision_for(next, sample_service("web", "./three")).number;
  world.host.refuse_next("no such program");
  EXPECT_FALSE(world.rollouts.begin(next, {{1, 50}, {third, 50}}, {}));
  EXPECT_EQ(world.host.at("web-00001").settings.min_scale, 0) << "its floor is gone";
  world.busy.clear();
  world.pass(1s);
  EXPECT_FALSE(world.host.has("web-00001"));
  EXPECT_FALSE(world.has_work());
}

TEST(RolloutRunner, NothingStartsIfTheStateFileCannotBeWritten) {
  ServiceWorld world;
  world.break_file();
  EXPECT_FALSE(begin(world));
  EXPECT_FALSE(world.host.has("web-00002"));
  EXPECT_FALSE(world.has_work());
}

TEST(RolloutRunner, SharesThatCannotBeWrittenDoNotChange) {
  ServiceWorld world;
  ASSERT_TRUE(begin(world));
  world.host.set_ready("web-00002", 2);
  world.break_file();
  world.pass(1s);
  EXPECT_EQ(stage(world), Stage::kFailed);
  EXPECT_EQ(world.host.at("web-00001").share, 100);
  EXPECT_FALSE(world.host.has("web-00002"));
}

TEST(RolloutRunner, OneThatIsEndedLeavesTheShares) {
  ServiceWorld world;
  ASSERT_TRUE(begin(world));
  world.rollouts.end(world.id("web"), "it was rolled back");
  EXPECT_EQ(stage(world), Stage::kFailed);
  EXPECT_FALSE(world.host.has("web-00002"));
  world.rollouts.end(world.id("web"), "again");
  EXPECT_EQ(world.rollouts.find(world.id("web"))->rollout.message(), "it was rolled back");
}

TEST(RolloutRunner, AFailureKeepsTheFloorsOfOtherRevisions) {
  ServiceWorld world(3);
  ASSERT_TRUE(begin(world));
  world.host.set_ready("web-00002", 3);
  world.pass(1s);
  ASSERT_EQ(world.host.at("web-00002").settings.min_scale, 3);
  ServiceRecord next = world.web();
  const Number third = revision_for(next, sample_service("web", "./three")).number;
  ASSERT_TRUE(world.rollouts.begin(next, {{third, 100}}, {}));
  world.rollouts.end(world.id("web"), "it was rolled back");
  EXPECT_EQ(world.host.at("web-00002").settings.min_scale, 3);
}

}  // namespace
}  // namespace bellows::machine
