#include "machine/service/service_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;
using testing::HasSubstr;
using testing::Not;

TEST(ServicePage, HasRevisionsSharesAndReplicas) {
  const ServiceWorld world;
  const std::string page = world.page.page({}, PageDetail::kShown);
  EXPECT_THAT(page,
              HasSubstr(R"("name":"web-00001","number":1,"share":100,"state":"Active","ready":2)"));
  EXPECT_THAT(page, HasSubstr(R"("command":["./web","$PORT"])"));
  EXPECT_EQ(page, world.page.page(RevisionId("web"), PageDetail::kShown));
  EXPECT_THAT(world.page.page(RevisionId("mail"), PageDetail::kShown),
              HasSubstr(R"("services":[])"));
}

TEST(ServicePage, SaysThatAServiceIsRetired) {
  ServiceWorld world;
  world.host.set_state("web-00001", cluster::RevisionState::kRetired);
  const std::string page = world.page.page({}, PageDetail::kShown);
  EXPECT_THAT(page, HasSubstr(R"("retired":true)"));
  EXPECT_THAT(page, HasSubstr(R"("name":"web-00001","number":1,"share":100,"state":"Retired")"));
  world.host.set_state("web-00001", cluster::RevisionState::kActive);
  EXPECT_THAT(world.page.page({}, PageDetail::kShown), Not(HasSubstr("etired")));
}

TEST(ServicePage, WithholdsCommandsAndWhatAppsWrote) {
  ServiceWorld world;
  ASSERT_TRUE(world.deploy());
  world.host.set_failure("web-00002", "the app exited with code 3");
  world.host.set_last_lines("web-00002", {"FATAL: hunter2"});
  world.pass(1s);
  EXPECT_THAT(world.page.page({}, PageDetail::kShown), HasSubstr("hunter2"));
  const std::string withheld = world.page.page({}, PageDetail::kWithheld);
  EXPECT_THAT(withheld, Not(HasSubstr("hunter2")));
  EXPECT_THAT(withheld, Not(HasSubstr("./web")));
  EXPECT_THAT(withheld, HasSubstr(R"("stage":"failed")"));
}

TEST(ServicePage, ARolloutIsUnderWayUntilItEnds) {
  ServiceWorld world;
  EXPECT_EQ(world.page.under_way(), "");
  ASSERT_TRUE(world.deploy());
  EXPECT_THAT(world.page.under_way(),
              HasSubstr(R"("service":"web","cause":"deploy","message":"web-00002: 0 of)"));
  EXPECT_THAT(world.page.page({}, PageDetail::kShown), HasSubstr(R"("state":"Starting")"));
  world.host.set_ready("web-00002", 2);
  world.pass(1s);
  EXPECT_EQ(world.page.under_way(), "");
}

TEST(ServicePage, ACanaryIsOneChangeOfShares) {
  ServiceWorld world;
  ServiceOrder order;
  order.canary = CanaryPlan();
  ASSERT_TRUE(world.deploy(order));
  world.host.set_ready("web-00002", 2);
  world.pass(1s);
  EXPECT_THAT(world.page.under_way(), HasSubstr("goes_back_if"));
  EXPECT_THAT(world.page.page({}, PageDetail::kShown),
              HasSubstr(R"("cause":"canary","stage":"canary")"));
}

TEST(ServicePage, AServiceThatIsAddedIsShownUntilItsAdditionFails) {
  ServiceWorld world;
  ServiceOrder order;
  order.expires = world.clock.wall_now() + std::chrono::seconds(90);
  ASSERT_TRUE(world.orders.add(sample_service("mail"), order));
  EXPECT_THAT(world.page.page(RevisionId("mail"), PageDetail::kShown),
              HasSubstr(R"("stage":"starting")"));
  EXPECT_THAT(world.page.page({}, PageDetail::kShown), HasSubstr(R"("expires_in_ms":90000)"));
  world.host.set_failure("mail-00001", "no database");
  world.look();
  EXPECT_THAT(world.page.page(RevisionId("mail"), PageDetail::kShown),
              HasSubstr(R"("stage":"failed")"))
      << "for the command that waits for it";
  EXPECT_THAT(world.page.page({}, PageDetail::kShown), Not(HasSubstr("mail")));
}

}  // namespace
}  // namespace bellows::machine
