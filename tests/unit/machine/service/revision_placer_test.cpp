#include "machine/service/revision_placer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;

/// "web" with a second revision, which has no share.
ServiceRecord with_two(ServiceWorld& world) {
  ServiceRecord web = world.web();
  revision_for(web, ServiceWorld::two());
  return web;
}

TEST(RevisionPlacer, WhatIsToTakeOverStartsAndGetsNoRequest) {
  ServiceWorld world;
  ServiceRecord web = with_two(world);
  web.tags["canary"] = 2;
  EXPECT_TRUE(world.placer.prepare(web, web.revisions[1], 3).value()) << "it is new";
  const cluster::Revision& listed = world.host.at("web-00002");
  EXPECT_EQ(listed.share, 0);
  EXPECT_TRUE(listed.route.tags.empty());
  EXPECT_EQ(listed.settings.min_scale, 3);
}

TEST(RevisionPlacer, AFloorEndsAStableWindowAfterItServes) {
  ServiceWorld world;
  ServiceRecord web = with_two(world);
  ASSERT_TRUE(world.placer.prepare(web, web.revisions[1], 3));
  set_shares(web, {{2, 100}});
  ASSERT_TRUE(world.store.change({{web.name, web}}));
  world.placer.serve(web, web.revisions[1]);
  EXPECT_EQ(world.host.at("web-00002").share, 100);
  EXPECT_EQ(world.host.at("web-00002").settings.min_scale, 3);
  const Duration window = web.revisions[1].content->settings->window;
  world.pass(window - 1ms);
  EXPECT_EQ(world.host.at("web-00002").settings.min_scale, 3);
  world.pass(1ms);
  EXPECT_EQ(world.host.at("web-00002").settings.min_scale,
            web.revisions[1].content->settings->min_scale);
  EXPECT_FALSE(world.has_work());
}

TEST(RevisionPlacer, WhatLeavesIsRemovedAfterItsLastRequest) {
  ServiceWorld world;
  world.busy = {world.id("web-00001")};
  world.placer.leave(world.id("web"), world.web().revisions.front());
  EXPECT_EQ(world.host.at("web-00001").share, 0);
  world.pass(1s);
  EXPECT_TRUE(world.host.has("web-00001"));
  world.busy.clear();
  world.pass(1s);
  EXPECT_FALSE(world.host.has("web-00001"));
  EXPECT_FALSE(world.has_work());
}

TEST(RevisionPlacer, WhatLeavesIsRemovedAtLastWithItsRequests) {
  ServiceWorld world;
  world.busy = {world.id("web-00001")};
  world.placer.leave(world.id("web"), world.web().revisions.front());
  const config::RevisionSettings& settings = *world.web().revisions.front().content->settings;
  world.pass(settings.drain_time() + settings.queue_age);
  EXPECT_FALSE(world.host.has("web-00001"));
}

TEST(RevisionPlacer, WhatLeavesAndTakesOverAgainStaysAndIsScaledAtOnce) {
  ServiceWorld world;
  const RevisionRecord& revision = world.web().revisions.front();
  world.placer.leave(world.id("web"), revision);
  EXPECT_FALSE(world.placer.prepare(world.web(), revision, 4).value()) << "it is there";
  world.pass(1h);
  EXPECT_TRUE(world.host.has("web-00001"));
  ASSERT_EQ(world.scaled.size(), 1U);
  EXPECT_EQ(world.scaled.front().second, 4);
}

TEST(RevisionPlacer, WhatHasLostItsTagLeavesAndWhatHasOneGetsItsHost) {
  ServiceWorld world;
  ServiceRecord web = with_two(world);
  ASSERT_TRUE(world.placer.list(web, web.revisions[1]));
  web.tags["canary"] = 2;
  world.placer.follow_tags(web);
  EXPECT_EQ(world.host.at("web-00002").route.tags, std::vector<std::string>{"canary"});
  web.tags.clear();
  world.placer.follow_tags(web);
  world.pass(1s);
  EXPECT_FALSE(world.host.has("web-00002"));
  EXPECT_TRUE(world.host.has("web-00001"));
}

TEST(RevisionPlacer, TheNumberOfARevisionThatIsStillThereIsNotFree) {
  ServiceWorld world;
  EXPECT_EQ(world.placer.free_number(world.id("web"), 1), 2);
  EXPECT_EQ(world.placer.free_number(world.id("mail"), 1), 1);
}

TEST(RevisionPlacer, WhatTheHostRefusesHoldsNoFloor) {
  ServiceWorld world;
  const ServiceRecord web = with_two(world);
  world.host.refuse_next("no such program");
  EXPECT_FALSE(world.placer.prepare(web, web.revisions[1], 1));
  EXPECT_FALSE(world.has_work());
}

}  // namespace
}  // namespace bellows::machine
