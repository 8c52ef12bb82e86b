#include "machine/service/order_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using test::ServiceWorld;
using testing::HasSubstr;

template <class T>
std::string reason_of(const Result<T>& checked) {
  return checked ? "none" : to_string(checked.error());
}

ServiceChange change_to(const ServiceWorld& world, const config::Service& content) {
  return difference(world.web(), content).value();
}

TEST(OrderChecks, AServiceIsIdleUntilAnOrderOnItBegins) {
  ServiceWorld world;
  EXPECT_TRUE(world.checks.is_idle(world.id("web")));
  ASSERT_TRUE(world.deploy());
  const auto busy = world.checks.existing(world.id("web"));
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind(), ErrorKind::kConflict);
  EXPECT_TRUE(world.checks.is_idle(world.id("mail"))) << "another service takes orders meanwhile";
}

TEST(OrderChecks, AnUnknownServiceIsNotFoundWithTheNamesThereAre) {
  const ServiceWorld world;
  const auto found = world.checks.existing(world.id("shop"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(reason_of(found), HasSubstr("web"));
}

TEST(OrderChecks, NoOrderIsTakenWhileBellowsEnds) {
  ServiceWorld world;
  world.checks.refuse_all();
  EXPECT_EQ(world.checks.is_idle(world.id("web")).error().kind(), ErrorKind::kUnavailable);
}

TEST(OrderChecks, ChangesAreCheckedTogether) {
  const ServiceWorld world;
  config::Service mail = sample_service("mail");
  const ServiceChange first = addition(mail);
  EXPECT_TRUE(world.checks.changes({first}));
  config::Service shop = sample_service("shop");
  shop.route = mail.route;
  const ServiceChange second = addition(shop);
  EXPECT_TRUE(world.checks.changes({second}));
  const auto both = world.checks.changes({first, second});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind(), ErrorKind::kConflict);
}

TEST(OrderChecks, AFallbackHasToBeThereAfterAllChanges) {
  const ServiceWorld world;
  config::Service mail = sample_service("mail");
  mail.settings.callers.fallback_service = "shop";
  const ServiceChange with_fallback = addition(mail);
  EXPECT_THAT(reason_of(world.checks.changes({with_fallback})), HasSubstr("shop"));
  EXPECT_TRUE(world.checks.changes({with_fallback, addition(sample_service("shop"))}));
}

TEST(OrderChecks, AHostThatRefusesTheContentRefusesTheChange) {
  ServiceWorld world;
  const ServiceChange change = change_to(world, ServiceWorld::two());
  world.host.refuse_next("no such program");
  EXPECT_THAT(reason_of(world.checks.changes({change})), HasSubstr("no such program"));
  world.host.refuse_next("no such program");
  EXPECT_THAT(reason_of(world.checks.tagged(ServiceWorld::two())), HasSubstr("no such program"));
}

TEST(OrderChecks, ATagNeedsAHostToStandBefore) {
  const ServiceWorld world;
  ServiceRecord next = world.web();
  next.tags = {{"blue", 1}};
  EXPECT_TRUE(world.checks.tags(next));
  next.route.host = "*.localhost";
  EXPECT_THAT(reason_of(world.checks.tags(next)), HasSubstr("want a host that is no wildcard"));
}

}  // namespace
}  // namespace bellows::machine
