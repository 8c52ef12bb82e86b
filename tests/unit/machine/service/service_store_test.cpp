#include "machine/service/service_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using test::ServiceWorld;
using testing::HasSubstr;

ServiceRecord with_a_new_host(ServiceRecord service) {
  service.route.host = "new.localhost";
  return service;
}

TEST(ServiceStore, AChangeIsInTheFile) {
  ServiceWorld world;
  ASSERT_TRUE(world.store.change({{world.id("web"), with_a_new_host(world.web())}}));
  EXPECT_EQ(world.web().route.host, "new.localhost");
  EXPECT_EQ(world.saved().at(world.id("web")).route.host, "new.localhost");
}

TEST(ServiceStore, AChangeThatCannotBeWrittenIsNone) {
  ServiceWorld world;
  world.break_file();
  EXPECT_FALSE(world.store.change({{world.id("web"), with_a_new_host(world.web())}}));
  EXPECT_EQ(world.web().route.host, "web.localhost");
}

TEST(ServiceStore, WhatHappenedIsKeptEvenIfItCannotBeWritten) {
  ServiceWorld world;
  world.break_file();
  world.store.note(with_a_new_host(world.web()));
  EXPECT_EQ(world.web().route.host, "new.localhost");
}

TEST(ServiceStore, AfterItsEndNothingIsWritten) {
  ServiceWorld world;
  ASSERT_TRUE(world.store.change({{world.id("web"), with_a_new_host(world.web())}}));
  world.store.close();
  ServiceRecord later = world.web();
  later.route.host = "later.localhost";
  const auto changed = world.store.change({{world.id("web"), later}});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(world.web().route.host, "new.localhost");
  world.store.note(later);
  EXPECT_EQ(world.web().route.host, "later.localhost") << "it has happened";
  EXPECT_EQ(world.saved().at(world.id("web")).route.host, "new.localhost")
      << "the file may be that of another Bellows";
}

TEST(ServiceStore, TwoServicesOfOneRouteAreAConflict) {
  ServiceWorld world;
  ServiceRecord mail = new_service(sample_service("mail"));
  mail.route = world.web().route;
  EXPECT_FALSE(world.store.check_routes({{world.id("mail"), mail}}));
  ASSERT_TRUE(world.store.change({{world.id("web"), with_a_new_host(world.web())}}));
  EXPECT_TRUE(world.store.check_routes({{world.id("mail"), mail}}));
}

TEST(ServiceStore, WhatIsNotThereIsToldWithTheNamesThereAre) {
  ServiceWorld world;
  EXPECT_TRUE(world.store.find_running(world.id("web")));
  const auto found = world.store.find_running(world.id("wed"));
  ASSERT_FALSE(found);
  EXPECT_THAT(to_string(found.error()), HasSubstr("want one of: web"));
}

}  // namespace
}  // namespace bellows::machine
