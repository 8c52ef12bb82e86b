#include "machine/service/tag_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;
using testing::ElementsAre;
using testing::HasSubstr;

Result<ServiceAnswer> tag(ServiceWorld& world, const std::string& name, const std::string& revision,
                          bool dry_run = false) {
  ServiceOrder order;
  order.dry_run = dry_run;
  return world.tags.tag(world.id("web"), {{name, revision}}, order);
}

TEST(TagOrders, ATagIsInForceAtOnceAndGoes) {
  ServiceWorld world;
  const auto tagged = tag(world, "stable", "web-00001");
  ASSERT_TRUE(tagged);
  EXPECT_THAT(tagged->lines, ElementsAre("web: stable.web.localhost -> web-00001"));
  EXPECT_THAT(world.host.at("web-00001").route.tags, ElementsAre("stable"));
  EXPECT_EQ(world.saved(), world.store.records());
  EXPECT_TRUE(tag(world, "stable", "web-00001")->lines.empty()) << "it is so already";
  ASSERT_TRUE(tag(world, "stable", ""));
  EXPECT_TRUE(world.host.at("web-00001").route.tags.empty());
}

TEST(TagOrders, ADryRunChangesNothing) {
  ServiceWorld world;
  EXPECT_FALSE(tag(world, "stable", "web-00001", true)->lines.empty());
  EXPECT_TRUE(world.web().tags.empty());
}

TEST(TagOrders, WhatIsNotThereIsNamed) {
  ServiceWorld world;
  EXPECT_THAT(to_string(tag(world, "stable", "web-00009").error()),
              HasSubstr("want one of web-00001"));
  EXPECT_THAT(to_string(tag(world, "none", "").error()), HasSubstr("tag none"));
  EXPECT_THAT(to_string(tag(world, "A B", "web-00001").error()), HasSubstr("tag \"A B\""));
}

TEST(TagOrders, ATagThatCannotBeWrittenIsNone) {
  ServiceWorld world;
  world.break_file();
  EXPECT_FALSE(tag(world, "stable", "web-00001"));
  EXPECT_TRUE(world.web().tags.empty());
  EXPECT_TRUE(world.host.at("web-00001").route.tags.empty());
}

TEST(TagOrders, ADeployWithATagGetsItsHostAndNoShare) {
  ServiceWorld world;
  ServiceOrder order;
  order.tag = "next";
  const auto answer = world.deploy(order);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->rolling_out, ElementsAre(world.id("web")));
  EXPECT_TRUE(world.host.at("web-00002").route.tags.empty()) << "it is started as a proof";
  world.host.set_ready("web-00002", 1);
  world.pass(1s);
  EXPECT_THAT(world.host.at("web-00002").route.tags, ElementsAre("next"));
  EXPECT_EQ(world.host.at("web-00002").share, 0);
  EXPECT_EQ(world.web().shares(), (Shares{{1, 100}}));
}

}  // namespace
}  // namespace bellows::machine
