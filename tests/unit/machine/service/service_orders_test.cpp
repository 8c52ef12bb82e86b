#include "machine/service/service_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/machine/service/service_world.hpp"

namespace bellows::machine {
namespace {

using namespace std::chrono_literals;
using test::ServiceWorld;
using testing::ElementsAre;
using testing::HasSubstr;

ServiceOrder dry() {
  ServiceOrder order;
  order.dry_run = true;
  return order;
}

std::string refusal_of(const Result<ServiceAnswer>& answer) {
  return answer ? "none" : to_string(answer.error());
}

TEST(ServiceOrders, ADryRunSaysWhatWouldBeDoneAndDoesNothing) {
  ServiceWorld world;
  const Records before = world.store.records();
  const std::vector<Result<ServiceAnswer>> answers = {
      world.deploy(dry()), world.orders.add(sample_service("mail"), dry()),
      world.orders.remove(world.id("web"), dry()),
      world.orders.apply({sample_service("mail")}, Scope::kEverything, dry())};
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer) << refusal_of(answer);
    EXPECT_FALSE(answer->lines.empty());
    EXPECT_TRUE(answer->rolling_out.empty());
  }
  EXPECT_EQ(world.store.records(), before);
  EXPECT_EQ(world.host.revisions().size(), 1U);
  EXPECT_FALSE(world.has_work());
}

TEST(ServiceOrders, ADeployBeginsARolloutAndASecondOrderIsRefusedMeanwhile) {
  ServiceWorld world;
  const auto answer = world.deploy();
  ASSERT_TRUE(answer) << refusal_of(answer);
  EXPECT_THAT(answer->rolling_out, ElementsAre(world.id("web")));
  EXPECT_THAT(answer->lines, ElementsAre(HasSubstr("new revision web-00002")));
  const auto second = world.orders.deploy(sample_service("web", "./three"), {});
  EXPECT_THAT(refusal_of(second), HasSubstr("a deploy is under way"));
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
}

TEST(ServiceOrders, ADeployBringsARetiredServiceBackAndSaysSo) {
  ServiceWorld world;
  world.host.set_state("web-00001", cluster::RevisionState::kRetired);
  ServiceOrder canary;
  canary.canary = CanaryPlan();
  EXPECT_THAT(refusal_of(world.deploy(canary)), HasSubstr("want `bellows resume web` before"));
  const auto answer = world.deploy();
  ASSERT_TRUE(answer) << refusal_of(answer);
  EXPECT_THAT(answer->lines, ElementsAre(HasSubstr("new revision web-00002"),
                                         "web: it was retired; this brings it back"));
}

TEST(ServiceOrders, WhatIsAsItIsChangesNothing) {
  ServiceWorld world;
  EXPECT_TRUE(world.orders.deploy(sample_service(), {})->lines.empty());
  EXPECT_TRUE(world.orders.split(world.id("web"), {{"web-00001", 100}}, {})->lines.empty());
  EXPECT_FALSE(world.has_work());
}

TEST(ServiceOrders, SettingsThatNoReplicaIsToldTakeEffectAtOnce) {
  ServiceWorld world;
  config::Service content = sample_service();
  content.settings.max_scale = 7;
  const auto answer = world.orders.deploy(content, {});
  ASSERT_TRUE(answer) << refusal_of(answer);
  EXPECT_TRUE(answer->rolling_out.empty());
  EXPECT_EQ(world.host.at("web-00001").settings.max_scale, 7);
  EXPECT_EQ(world.saved(), world.store.records());
}

TEST(ServiceOrders, AServiceIsAddedAtOnceAndProvenByItsFirstReplica) {
  ServiceWorld world;
  ASSERT_TRUE(world.orders.add(sample_service("mail"), {}));
  EXPECT_EQ(world.host.at("mail-00001").share, 100) << "requests wait for its first replica";
  EXPECT_EQ(world.saved().at(world.id("mail")), *world.store.find(world.id("mail")));
  EXPECT_EQ(world.scaled,
            (std::vector<std::pair<RevisionId, PodCount>>{{world.id("mail-00001"), 1}}));
  EXPECT_FALSE(world.store.find(world.id("mail"))->revisions.front().was_ready);
  world.host.set_ready("mail-00001", 1);
  world.pass(1s);
  EXPECT_TRUE(world.store.find(world.id("mail"))->revisions.front().was_ready);
  EXPECT_EQ(world.host.at("mail-00001").share, 100);
  EXPECT_THAT(refusal_of(world.orders.add(sample_service("mail"), {})),
              HasSubstr("exists already"));
  ASSERT_TRUE(world.orders.remove(world.id("mail"), {}));
  EXPECT_EQ(world.store.find(world.id("mail")), nullptr);
  world.pass(1s);
  EXPECT_FALSE(world.host.has("mail-00001"));
}

TEST(ServiceOrders, AnAddedServiceThatDoesNotStartIsRemovedAgain) {
  ServiceWorld world;
  ASSERT_TRUE(world.orders.add(sample_service("mail"), {}));
  world.host.set_failure("mail-00001", "mail-1: the app exited with code 3");
  world.pass(1s);
  EXPECT_EQ(world.store.find(world.id("mail")), nullptr);
  EXPECT_TRUE(world.saved().empty());
  world.pass(1s);
  EXPECT_FALSE(world.host.has("mail-00001"));
  EXPECT_TRUE(world.orders.add(sample_service("mail"), {})) << "as if it had never been there";
}

TEST(ServiceOrders, AServiceIsRemovedWhateverIsUnderWay) {
  ServiceWorld world;
  ASSERT_TRUE(world.orders.add(sample_service("mail"), {}));
  ASSERT_TRUE(world.orders.remove(world.id("mail"), {}));
  EXPECT_EQ(world.store.find(world.id("mail")), nullptr);
  EXPECT_FALSE(world.rollouts.is_under_way(world.id("mail")));
  ASSERT_TRUE(world.deploy());
  ASSERT_TRUE(world.orders.remove(world.id("web"), {.dry_run = true}));
  EXPECT_TRUE(world.rollouts.is_under_way(world.id("web"))) << "a dry run ends nothing";
  ASSERT_TRUE(world.orders.remove(world.id("web"), {}));
  EXPECT_TRUE(world.web().is_removed());
  world.pass(1s);
  EXPECT_EQ(world.host.revisions().size(), 0U);
}

TEST(ServiceOrders, AFailedAdditionLeavesWhatTheFileSaysRemoved) {
  ServiceWorld world;
  ASSERT_TRUE(world.orders.remove(world.id("web"), {}));
  const ServiceRecord removed = world.web();
  ASSERT_TRUE(world.orders.add(world.two(), {.expires = world.clock.wall_now()}));
  EXPECT_FALSE(world.web().is_removed());
  EXPECT_EQ(world.saved().at(world.id("web")).expires, world.clock.wall_now());
  world.host.set_failure(revision_id(world.id("web"), world.web().revisions.front().number).text(),
                         "no database");
  world.pass(1s);
  EXPECT_EQ(world.web(), removed);
}

TEST(ServiceOrders, AServiceThatAFileTakesUpHasNoEndAnyMore) {
  ServiceWorld world;
  const config::Service mail = sample_service("mail");
  ASSERT_TRUE(world.orders.add(mail, {.expires = world.clock.wall_now() + 48h}));
  world.host.set_ready("mail-00001", 1);
  world.pass(1s);
  ASSERT_TRUE(world.orders.apply({sample_service(), mail}, Scope::kEverything, {}));
  EXPECT_TRUE(world.saved().at(world.id("mail")).declared);
  EXPECT_EQ(world.saved().at(world.id("mail")).expires, std::nullopt);
}

TEST(ServiceOrders, ARemovedServiceOfTheFileIsRemembered) {
  ServiceWorld world;
  ASSERT_TRUE(world.orders.remove(world.id("web"), {}));
  EXPECT_TRUE(world.web().is_removed());
  EXPECT_TRUE(world.saved().at(world.id("web")).is_removed());
  EXPECT_THAT(refusal_of(world.orders.remove(world.id("web"), {})), HasSubstr("there is none"));
}

TEST(ServiceOrders, AFileIsAppliedWithOneWriteOrNotAtAll) {
  ServiceWorld world;
  config::Service changed = sample_service();
  changed.settings.max_scale = 7;
  ASSERT_TRUE(world.orders.deploy(changed, {})) << "the state file has it from now on";
  world.break_file();
  const FileServices file{sample_service("mail"), sample_service("shop")};
  EXPECT_FALSE(world.orders.apply(file, Scope::kEverything, {}));
  EXPECT_EQ(world.host.revisions().size(), 1U) << "what was listed is taken back";
  EXPECT_EQ(world.store.records().size(), 1U);
  world.repair_file();
  ASSERT_TRUE(world.orders.apply(file, Scope::kEverything, {}));
  EXPECT_EQ(world.host.at("mail-00001").share, 100);
  world.pass(1s);
  EXPECT_FALSE(world.host.has("web-00001")) << "the file has it no more";
}

TEST(ServiceOrders, ARollbackGoesToWhatWasBefore) {
  ServiceWorld world;
  EXPECT_THAT(refusal_of(world.orders.roll_back(world.id("web"), "", {})),
              HasSubstr("had no other revision before"));
  ASSERT_TRUE(world.deploy());
  world.host.set_ready("web-00002", 2);
  world.pass(1s);
  ASSERT_TRUE(world.orders.roll_back(world.id("web"), "", {}));
  world.host.set_ready("web-00001", 2);
  world.pass(1s);
  EXPECT_EQ(world.web().shares(), (Shares{{1, 100}}));
  EXPECT_THAT(refusal_of(world.orders.roll_back(world.id("web"), "9", {})),
              HasSubstr("want one of web-00001, web-00002"));
}

TEST(ServiceOrders, SharesAddUpToAHundred) {
  ServiceWorld world;
  EXPECT_THAT(refusal_of(world.orders.split(world.id("web"), {{"web-00001", 90}}, {})),
              HasSubstr("add up to 90, want 100"));
  EXPECT_THAT(refusal_of(world.orders.split(world.id("web"), {{"web-00007", 100}}, {})),
              HasSubstr("revision web-00007"));
}

TEST(ServiceOrders, ACanaryNeedsARevisionOfItsOwnAndEndsByARollback) {
  ServiceWorld world;
  ServiceOrder order;
  order.canary = CanaryPlan();
  config::Service settings_only = sample_service();
  settings_only.settings.max_scale = 7;
  EXPECT_THAT(refusal_of(world.orders.deploy(settings_only, order)), HasSubstr("make no revision"));
  ASSERT_TRUE(world.deploy(order));
  EXPECT_THAT(refusal_of(world.deploy()), HasSubstr("`bellows rollback web` ends it"));
  EXPECT_THAT(refusal_of(world.orders.roll_back(world.id("web"), "web-00001", {})),
              HasSubstr("want no --to"));
  const auto ended = world.orders.roll_back(world.id("web"), "", {});
  ASSERT_TRUE(ended) << refusal_of(ended);
  EXPECT_THAT(ended->lines, ElementsAre(HasSubstr("the canary of web-00002 ends")));
}

TEST(ServiceOrders, AreRefusedOnceItStops) {
  ServiceWorld world;
  world.checks.refuse_all();
  const auto answer = world.deploy();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kUnavailable);
}

TEST(ServiceOrders, WhatTheHostRefusesIsRefusedBeforeAnythingChanges) {
  ServiceWorld world;
  world.host.refuse_next("no such program");
  EXPECT_THAT(refusal_of(world.deploy()), HasSubstr("no such program"));
  EXPECT_FALSE(world.has_work());
}

TEST(ServiceOrders, AServiceThatIsMeasuredNeedsTheRecommender) {
  ServiceWorld world;
  config::Service content = ServiceWorld::two();
  content.settings.resources.mode = config::ResourcesMode::kAuto;
  EXPECT_THAT(refusal_of(world.orders.deploy(content, {})), HasSubstr("want a restart, or off"));
}

/// "web" with a port that only one app can have.
struct PortWorld : ServiceWorld {
  static config::Service at_port(const std::string& name, const std::string& program) {
    config::Service service = sample_service(name, program);
    service.settings.port = 3000;
    service.settings.max_scale = 1;
    return service;
  }
  PortWorld() : ServiceWorld(1) {
    EXPECT_TRUE(orders.deploy(at_port("web", "./web"), {}));
    host.set_ready("web-00002", 1);
    pass(1s);
    pass(1min);
  }
};

TEST(ServiceOrders, ADeployOfAFixedPortEndsTheOldAppBeforeItStartsTheNewOne) {
  PortWorld world;
  ASSERT_EQ(world.host.at("web-00002").share, 100);
  const auto answer = world.orders.deploy(world.at_port("web", "./three"), {});
  ASSERT_TRUE(answer) << refusal_of(answer);
  EXPECT_THAT(answer->lines, testing::Contains(HasSubstr("port 3000 is fixed: the app of web-00003 "
                                                         "starts after the one before has ended")));
  EXPECT_THAT(world.scaled, testing::Each(testing::Key(testing::Ne(world.id("web-00003")))));
  EXPECT_EQ(world.host.at("web-00003").share, 100) << "its requests wait";
  world.pass(1s);
  EXPECT_EQ(world.host.revisions().find(world.id("web-00002")), nullptr) << "no request holds it";
}

TEST(ServiceOrders, ADeployOfAFixedPortIsDoneWhenTheNewAppIsReady) {
  PortWorld world;
  ASSERT_TRUE(world.orders.deploy(world.at_port("web", "./three"), {}));
  world.pass(1s);
  EXPECT_EQ(world.rollouts.find(world.id("web"))->rollout.stage(), Stage::kProving);
  EXPECT_FALSE(world.store.find(world.id("web"))->find(3)->was_ready);
  const StartPlan after_a_crash = at_start(world.saved(), {world.at_port("web", "./web")});
  EXPECT_EQ(after_a_crash.records.at(world.id("web")).shares(), (Shares{{2, 100}}));
  world.host.set_ready("web-00003", 1);
  world.pass(1s);
  EXPECT_EQ(world.rollouts.find(world.id("web"))->rollout.stage(), Stage::kDone);
  EXPECT_TRUE(world.store.find(world.id("web"))->find(3)->was_ready);
}

TEST(ServiceOrders, ADeployOfAFixedPortThatFailsGivesTheRequestsBack) {
  PortWorld world;
  const Shares before = world.store.find(world.id("web"))->shares();
  ASSERT_TRUE(world.orders.deploy(world.at_port("web", "./three"), {}));
  world.pass(1s);
  world.host.set_failure("web-00003", "the app exited with code 3");
  world.host.set_last_lines("web-00003", {"FATAL: no database"});
  world.pass(1s);
  const RunningRollout& failed = *world.rollouts.find(world.id("web"));
  EXPECT_EQ(failed.rollout.stage(), Stage::kFailed);
  EXPECT_EQ(failed.last_lines, std::vector<std::string>{"FATAL: no database"});
  const ServiceRecord& web = *world.store.find(world.id("web"));
  EXPECT_EQ(web.shares(), before);
  EXPECT_THAT(web.find(3)->failure, HasSubstr("exited with code 3"));
  EXPECT_EQ(world.saved(), world.store.records());
  EXPECT_EQ(world.host.at("web-00002").share, 100);
  EXPECT_FALSE(world.host.has("web-00003")) << "the port is free for the app before";
}

TEST(ServiceOrders, TwoRevisionsWithOnePortDoNotShareRequests) {
  PortWorld world;
  ASSERT_TRUE(world.orders.deploy(world.at_port("web", "./three"), {}));
  world.host.set_ready("web-00003", 1);
  world.pass(1s);
  const auto split =
      world.orders.split(world.id("web"), {{"web-00002", 50}, {"web-00003", 50}}, {});
  EXPECT_THAT(refusal_of(split), HasSubstr("web-00002 and web-00003 both have port 3000"));
  ServiceOrder tagged;
  tagged.tag = "try";
  EXPECT_THAT(refusal_of(world.orders.deploy(world.at_port("web", "./four"), tagged)),
              HasSubstr("both have port 3000"));
}

TEST(ServiceOrders, APortThatAnotherServiceHasIsRefused) {
  PortWorld world;
  const auto added = world.orders.add(world.at_port("mail", "./mail"), {});
  EXPECT_EQ(refusal_of(added),
            "service mail: port: \"3000\": service web has it; want another one");
}

}  // namespace
}  // namespace bellows::machine
