// Diaries of canaries that are carried out: at t, with these requests, expect these shares.
#include "machine/service/canary_runner.hpp"

#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;

constexpr PodCount kMost = 8;  // max-scale: what is to take over is ready at once

/// The first share of "web-00002" is in force.
class CanaryRunnerDiary : public testing::Test {
 protected:
  CanaryRunnerDiary() {
    ServiceOrder order;
    order.canary = CanaryPlan{.shares = {10, 100}, .step = 1min, .min_requests = 10};
    EXPECT_TRUE(world_.deploy(order));
    world_.host.set_ready("web-00002", kMost);
    world_.pass(1s);
  }
  void serve(std::int64_t requests, std::int64_t errors) {
    Served& so_far = world_.served[world_.id("web-00002")];
    so_far.requests += requests;
    so_far.errors += errors;
  }
  std::int32_t share() const { return world_.host.at("web-00002").share; }

  ServiceWorld world_{kMost};
};

TEST_F(CanaryRunnerDiary, GoesOnToAllRequestsWhileTheyAreGood) {
  EXPECT_EQ(share(), 10);
  EXPECT_EQ(world_.host.at("web-00001").share, 90);
  EXPECT_EQ(world_.saved().at(world_.id("web")).before_canary, (Shares{{1, 100}}));
  serve(20, 0);
  world_.pass(30s);
  EXPECT_EQ(share(), 10);
  world_.pass(30s);
  world_.look();
  EXPECT_EQ(share(), 100);
  EXPECT_TRUE(world_.web().before_canary.empty());
  EXPECT_EQ(world_.canaries.under_way(world_.id("web")), nullptr);
}

TEST_F(CanaryRunnerDiary, GoesBackAtTheFirstRequestsThatAreTooBad) {
  serve(20, 5);
  world_.pass(1s);
  world_.look();
  EXPECT_EQ(world_.host.at("web-00001").share, 100);
  EXPECT_TRUE(world_.web().before_canary.empty());
  EXPECT_EQ(world_.web().shares(), (Shares{{1, 100}}));
  world_.pass(1s);
  EXPECT_FALSE(world_.host.has("web-00002"));
  EXPECT_FALSE(world_.canaries.has_work());
}

TEST_F(CanaryRunnerDiary, GoesBackAsSoonAsTheStateFileCanBeWrittenAgain) {
  world_.break_file();
  serve(20, 5);
  world_.pass(1s);
  EXPECT_EQ(share(), 10);
  EXPECT_TRUE(world_.canaries.has_work());
  world_.repair_file();
  world_.pass(1s);
  EXPECT_EQ(share(), 10) << "it tries again after five seconds";
  world_.pass(4s);
  world_.look();
  EXPECT_EQ(world_.host.at("web-00001").share, 100);
  EXPECT_FALSE(world_.canaries.has_work());
}

TEST_F(CanaryRunnerDiary, ARollbackEndsItAndGoesBack) {
  EXPECT_TRUE(world_.canaries.roll_back(world_.id("web"), {}).value());
  world_.look();
  EXPECT_EQ(world_.host.at("web-00001").share, 100);
  EXPECT_EQ(world_.canaries.find(world_.id("web")), nullptr);
}

TEST(CanaryRunner, ARollbackBeforeTheFirstShareBeginsNoRollout) {
  ServiceWorld world;
  ServiceOrder order;
  order.canary = CanaryPlan();
  ASSERT_TRUE(world.deploy(order));
  EXPECT_FALSE(world.canaries.roll_back(world.id("web"), {}).value());
  EXPECT_FALSE(world.host.has("web-00002"));
  EXPECT_TRUE(world.web().before_canary.empty());
  EXPECT_TRUE(world.web().under_way.empty());
}

TEST(CanaryRunner, ARevisionThatDoesNotStartEndsItWithTheReason) {
  ServiceWorld world;
  ServiceOrder order;
  order.canary = CanaryPlan();
  ASSERT_TRUE(world.deploy(order));
  world.host.set_failure("web-00002", "the app exited with code 3");
  world.pass(1s);
  EXPECT_EQ(world.canaries.find(world.id("web"))->canary.stage(), Canary::Stage::kBack);
  EXPECT_EQ(world.web().shares(), (Shares{{1, 100}}));
  EXPECT_TRUE(world.web().before_canary.empty());
  EXPECT_FALSE(world.canaries.has_work());
}

}  // namespace
}  // namespace bellows::machine
