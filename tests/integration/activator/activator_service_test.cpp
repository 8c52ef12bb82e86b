#include "activator/service/activator_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ActivatorWithFreeSlots, ForwardsARequestAndItsResponse) {
  ActivatorWorld world;
  world.add_replica("web-1");
  Caller& caller = world.get("/hello");
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
  EXPECT_EQ(caller.body(), "web-1 /hello");
  EXPECT_THAT(caller.answer(), Not(HasSubstr("X-Bellows-Queue-Ms"))) << "it was not held";
  EXPECT_THAT(world.sink.triggers, IsEmpty());
  EXPECT_EQ(world.in_flight(), 0);
}

TEST(ActivatorAtZero, TriggersWithTheFirstRequestAndServes300InOrderOfArrival) {
  ActivatorWorld world;
  world.web().settings.container_concurrency = 1;
  world.cluster.publish();
  std::vector<Caller*> callers;
  std::vector<std::string> paths;
  for (int i = 0; i < 300; ++i) {
    paths.push_back("/" + std::to_string(i));
    callers.push_back(&world.get(paths.back()));
    world.until_waiting(i + 1);
    ASSERT_THAT(world.sink.triggers, SizeIs(1)) << "at once and only once";
  }
  EXPECT_THAT(world.sink.triggers, SizeIs(1));
  EXPECT_EQ(
      world.sink.triggers[0],
      (metrics::ScaleFromZeroTrigger{
          .revision = RevisionId("web"), .pod = PodName("activator-1"), .boot = 7, .waiting = 1}));
  world.clock.advance(milliseconds(1500));
  Replica& replica = world.add_replica("web-1");
  for (const Caller* caller : callers) world.until_done(*caller);
  EXPECT_EQ(replica.paths, paths);
  EXPECT_EQ(replica.max_running, 1);
  for (const Caller* caller : callers) {
    ASSERT_EQ(caller->status(), 200);
    ASSERT_THAT(caller->answer(), HasSubstr("X-Bellows-Queue-Ms: 1500\r\n"));
  }
  EXPECT_THAT(world.cluster.orders, IsEmpty()) << "the autoscaler is connected, so it orders";
}

TEST(ActivatorAtZero, RepeatsTheTriggerEachSecond) {
  ActivatorWorld world;
  world.get("/");
  world.until_waiting(1);
  world.pass(milliseconds(900));
  EXPECT_THAT(world.sink.triggers, SizeIs(1));
  world.pass(milliseconds(150));
  EXPECT_THAT(world.sink.triggers, SizeIs(2));
  world.pass(milliseconds(1050));
  EXPECT_THAT(world.sink.triggers, SizeIs(3));
}

TEST(ActivatorAtZero, ReportsTheStepsOfAColdStart) {
  ActivatorWorld world;
  const TimePoint came = world.clock.now();
  Caller& first = world.get("/first", "Host: a\r\nUser-Agent: UptimeRobot/2.0\r\n");
  world.until_waiting(1);
  world.clock.advance(milliseconds(300));
  Caller& second = world.get("/second");
  world.until_waiting(2);
  world.add_replica("web-1");
  world.until_done(first);
  world.until_done(second);
  ASSERT_THAT(world.service->cold_starts().kept(), SizeIs(1));
  const TimePoint ready = came + milliseconds(300);
  EXPECT_EQ(world.service->cold_starts().kept()[0], (ColdStart{.service = RevisionId("web"),
                                                               .revision = RevisionId("web"),
                                                               .replica = PodName("web-1"),
                                                               .held = came,
                                                               .ordered = ready,
                                                               .process_started = ready,
                                                               .ready = ready,
                                                               .forwarded = ready,
                                                               .answered = ready,
                                                               .user_agent = "UptimeRobot/2.0"}));
  EXPECT_THAT(
      world.registry.expose(),
      HasSubstr("bellows_activator_cold_start_seconds_count{revision=\"web\",service=\"web\","
                "until=\"first-byte\"} 1"));
}

TEST(ActivatorAtZero, OrdersAReplicaItselfWhileTheAutoscalerIsDisconnected) {
  ActivatorWorld world(false);
  world.get("/");
  world.until([&] { return !world.cluster.orders.empty(); });
  EXPECT_EQ(world.cluster.orders[0].desired, 1);
  world.web().requested = 1;
  world.cluster.publish();
  world.pass(milliseconds(1050));
  world.until_waiting(1);
  EXPECT_THAT(world.cluster.orders, SizeIs(1)) << "one is ordered already";
}

TEST(ActivatorAtZero, OrdersAReplicaItselfIfTheAutoscalerHasOrderedNoneFor2s) {
  ActivatorWorld world;
  world.get("/");
  world.until_waiting(1);
  world.pass(milliseconds(1050));
  world.until_waiting(1);
  EXPECT_THAT(world.cluster.orders, IsEmpty()) << "it is connected, so it gets time";
  world.pass(milliseconds(1050));
  world.until([&] { return !world.cluster.orders.empty(); });
  EXPECT_EQ(world.cluster.orders[0].desired, 1);
  EXPECT_EQ(world.cluster.orders[0].reason,
            "requests wait and the autoscaler has ordered nothing for 2.10s");
}

TEST(ActivatorAtZero, OrdersNothingWhileTheReplicaOfTheAutoscalerStarts) {
  ActivatorWorld world;
  world.get("/");
  world.until_waiting(1);
  world.web().requested = 1;
  world.cluster.publish();
  for (int i = 0; i < 5; ++i) world.pass(milliseconds(1050));
  world.until_waiting(1);
  EXPECT_THAT(world.sink.triggers, SizeIs(6));
  EXPECT_THAT(world.cluster.orders, IsEmpty());
}

TEST(ActivatorProbe, GetsAReplyWithoutATriggerAndWithoutCounting) {
  ActivatorWorld world;
  Caller& kubelet = world.get("/", "Host: a\r\nUser-Agent: kube-probe/1.29\r\n");
  Caller& network = world.get("/", "Host: a\r\nK-Network-Probe: activator\r\n");
  world.until_done(kubelet);
  world.until_done(network);
  EXPECT_EQ(kubelet.status(), 200);
  EXPECT_EQ(network.body(), "activator");
  EXPECT_THAT(world.sink.triggers, IsEmpty());
  EXPECT_THAT(world.registry.expose(), Not(HasSubstr("bellows_activator_requests_total")));
}

TEST(ActivatorQueueFull, Responds503WithRetryAfterAtOnce) {
  ActivatorWorld world;
  world.web().settings.queue_depth = 2;
  world.cluster.publish();
  world.get("/a");
  world.until_waiting(1);
  world.get("/b");
  world.until_waiting(2);
  Caller& c = world.get("/c");
  world.until_done(c);
  EXPECT_EQ(c.status(), 503);
  EXPECT_THAT(c.answer(), HasSubstr("Retry-After: "));
  EXPECT_THAT(c.body(), HasSubstr("service web: its queue is full: 2 requests wait"));
}

TEST(ActivatorQueueAge, Responds503WhenItHasPassed) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  world.pass(seconds(59));
  EXPECT_EQ(world.waiting(), 1);
  world.pass(milliseconds(1100));
  world.until_done(a);
  EXPECT_EQ(a.status(), 503);
  EXPECT_THAT(a.answer(), HasSubstr("Retry-After: "));
  EXPECT_THAT(a.body(), HasSubstr("service web: no replica became ready within 1m"));
}

TEST(ActivatorHangUp, LeavesTheQueueAtOnceAndOtherRequestsAreServed) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  Caller& b = world.get("/b");
  world.until_waiting(2);
  a.hang_up();
  world.until_waiting(1);
  Replica& replica = world.add_replica("web-1");
  world.until_done(b);
  EXPECT_THAT(replica.paths, ElementsAre("/b"));
  EXPECT_EQ(world.in_flight(), 0);
}

TEST(ActivatorHangUp, OfAllCallersEndsTheTriggers) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  a.hang_up();
  world.until_waiting(0);
  world.pass(seconds(5));
  EXPECT_THAT(world.sink.triggers, SizeIs(1));
}

TEST(ActivatorUnknownHost, Responds404WithItsName) {
  ActivatorWorld world;
  world.web().route.host = "web.example";
  world.cluster.publish();
  Caller& caller = world.get("/", "Host: shop.example\r\n");
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 404);
  EXPECT_THAT(caller.body(),
              HasSubstr("host shop.example: no service takes it; known: web.example"));
}

TEST(ActivatorWithoutAListYet, KeepsRequestsUntilItComes) {
  ActivatorWorld world;
  const cluster::Revision web = world.web();
  world.cluster.truth.clear();
  world.cluster.is_ready = false;
  world.cluster.publish();
  Caller& caller = world.get("/");
  world.until([&] { return world.service->counters().in_flight == 1; });
  world.pass(std::chrono::seconds(1));
  EXPECT_EQ(caller.status(), 0);
  world.cluster.truth.push_back(web);
  world.cluster.is_ready = true;
  world.add_replica("web-1");
  world.pass(milliseconds(100));
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
}

TEST(ActivatorWithoutAListYet, Responds503RatherThan404) {
  ActivatorWorld world;
  world.cluster.truth.clear();
  world.cluster.is_ready = false;
  world.cluster.publish();
  Caller& caller = world.get("/");
  world.until([&] { return world.service->counters().in_flight == 1; });
  world.pass(std::chrono::seconds(6));
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 503);
  EXPECT_FALSE(world.service->readiness());
}

TEST(ActivatorRetired, RejectsQueuedAndNewRequestsWith410) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  world.web().state = cluster::RevisionState::kRetired;
  world.cluster.publish();
  Caller& b = world.get("/b");
  world.until_done(a);
  world.until_done(b);
  EXPECT_EQ(a.status(), 410);
  EXPECT_EQ(b.status(), 410);
}

TEST(ActivatorRetired, ServesAgainWhenItIsListedAgain) {
  ActivatorWorld world;
  world.web().state = cluster::RevisionState::kRetired;
  world.cluster.publish();
  Caller& gone = world.get("/");
  world.until_done(gone);
  EXPECT_EQ(gone.status(), 410);
  world.web().state = cluster::RevisionState::kActive;
  world.cluster.publish();
  Caller& back = world.get("/");
  world.until_waiting(1);
  EXPECT_THAT(world.sink.triggers, SizeIs(1));
  world.add_replica("web-1");
  world.until_done(back);
  EXPECT_EQ(back.status(), 200);
}

TEST(ActivatorWithNamespaces, LabelsItsSeriesWithThem) {
  ActivatorWorld world;
  world.web().id = RevisionId("shop/web");
  world.cluster.publish();
  Caller& caller = world.get("/");
  world.until([&] { return world.waiting() == 1; });
  EXPECT_THAT(world.sink.triggers.back().revision, RevisionId("shop/web"));
  world.add_replica("web-1");
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
  world.service->refresh_gauges();
  EXPECT_THAT(
      world.registry.expose(),
      HasSubstr(
          "bellows_activator_in_flight{namespace=\"shop\",revision=\"web\",service=\"web\"} 0"));
}

TEST(ActivatorRemoved, RejectsQueuedRequests) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  world.cluster.truth.clear();
  world.cluster.publish();
  world.until_done(a);
  EXPECT_EQ(a.status(), 404);
  EXPECT_THAT(a.body(), HasSubstr("service web"));
}

TEST(ActivatorRemoved, LetsRequestsInFlightFinish) {
  ActivatorWorld world;
  Replica& replica = world.add_replica("web-1");
  replica.hold();
  Caller& a = world.get("/a");
  world.until([&] { return replica.running == 1; });
  world.cluster.truth.clear();
  world.cluster.publish();
  replica.release();
  world.until_done(a);
  EXPECT_EQ(a.status(), 200);
}

TEST(ActivatorFailureMessage, IsTheResponseInsteadOfAnEndlessWait) {
  ActivatorWorld world;
  Caller& a = world.get("/a");
  world.until_waiting(1);
  world.web().requested = 1;
  world.web().failure_message = "replica web-1 does not listen on port 40001 after 60s";
  world.cluster.publish();
  world.until_done(a);
  EXPECT_EQ(a.status(), 503);
  EXPECT_THAT(a.body(), HasSubstr("replica web-1 does not listen on port 40001 after 60s"));
}

TEST(ActivatorFailureMessage, OfUndesiredReplicasDoesNotBlockAScaleUp) {
  ActivatorWorld world;
  world.web().failure_message = "replica web-1 crashed 5 times";
  world.cluster.publish();
  world.get("/a");
  world.until_waiting(1);
  EXPECT_THAT(world.sink.triggers, SizeIs(1));
}

TEST(ActivatorReportedLoad, PrefersTheReplicaWithTheFewestRequestsOfAllCallers) {
  ActivatorWorld world;
  Replica& busy = world.add_replica("web-1");
  Replica& idle = world.add_replica("web-2");
  busy.say("X-Bellows-In-Flight: 9\r\n");
  idle.say("X-Bellows-In-Flight: 1\r\n");
  for (int i = 0; i < 10; ++i) world.until_done(world.get("/"));
  EXPECT_THAT(busy.paths, SizeIs(1)) << "until it reported its load";
  EXPECT_THAT(idle.paths, SizeIs(9));
}

TEST(ActivatorReportedLoad, IsNotForwardedToTheCaller) {
  ActivatorWorld world;
  world.add_replica("web-1").say("X-Bellows-In-Flight: 9\r\nX-Bellows-Secret: 1\r\n");
  Caller& caller = world.get("/");
  world.until_done(caller);
  EXPECT_THAT(caller.answer(), Not(HasSubstr("X-Bellows-In-Flight")));
  EXPECT_THAT(caller.answer(), Not(HasSubstr("X-Bellows-Secret")));
}

TEST(ActivatorHopHeaders, OfCallersAreNotForwarded) {
  ActivatorWorld world;
  Replica& replica = world.add_replica("web-1");
  world.until_done(world.get(
      "/", "Host: a\r\nX-Bellows-In-Flight: 0\r\nK-Original-Host: evil\r\nX-Bellows-Retry: 1\r\n"));
  EXPECT_THAT(replica.heads, IsEmpty());
}

TEST(ActivatorQueueTime, IsInTheResponseIfRequestedEvenIfItIsZero) {
  ActivatorWorld world;
  world.add_replica("web-1");
  Caller& caller = world.get("/", "Host: a\r\nX-Bellows-Queue-Ms: ?\r\n");
  world.until_done(caller);
  EXPECT_THAT(caller.answer(), HasSubstr("X-Bellows-Queue-Ms: 0\r\n"));
}

TEST(ActivatorQueueTime, IsTheSumOfBothQueues) {
  ActivatorWorld world;
  Caller& caller = world.get("/");
  world.until_waiting(1);
  world.clock.advance(milliseconds(1500));
  world.add_replica("web-1").say("X-Bellows-Queue-Ms: 30\r\n");
  world.until_done(caller);
  EXPECT_THAT(caller.answer(), HasSubstr("X-Bellows-Queue-Ms: 1530\r\n"));
  EXPECT_THAT(caller.answer(), Not(HasSubstr("X-Bellows-Queue-Ms: 30\r\n")));
}

TEST(ActivatorQueueTime, IsInTheResponseOnlyIfRequestedWithThatSetting) {
  ActivatorWorld world;
  world.web().settings.queue_time_header = config::QueueTimeHeader::kAsked;
  world.cluster.publish();
  Caller& caller = world.get("/");
  world.until_waiting(1);
  world.clock.advance(milliseconds(1500));
  world.add_replica("web-1");
  world.until_done(caller);
  EXPECT_THAT(caller.answer(), Not(HasSubstr("X-Bellows-Queue-Ms")));
}

TEST(ActivatorProbe, OfTheSettingsGetsAReplyWithoutATrigger) {
  ActivatorWorld world;
  world.web().settings.probe_user_agents = "StatusCake/";
  world.web().settings.probe_paths = "/healthz";
  world.cluster.publish();
  Caller& asleep = world.get("/healthz?full=1");
  world.until_done(asleep);
  EXPECT_EQ(asleep.status(), 200);
  EXPECT_EQ(asleep.body(), "asleep");
  Replica& replica = world.add_replica("web-1");
  Caller& ready = world.get("/", "Host: a\r\nUser-Agent: StatusCake/1.0\r\n");
  world.until_done(ready);
  EXPECT_EQ(ready.body(), "ready");
  EXPECT_THAT(replica.paths, IsEmpty()) << "the app gets no probe";
  world.unlist("web-1");
  world.web().requested = 1;
  world.web().failure_message = "replica web-2 crashed 5 times";
  world.cluster.publish();
  Caller& broken = world.get("/healthz");
  world.until_done(broken);
  EXPECT_EQ(broken.status(), 503);
  EXPECT_THAT(world.sink.triggers, IsEmpty());
  EXPECT_THAT(world.registry.expose(), Not(HasSubstr("bellows_activator_requests_total")));
}

TEST(ActivatorProbe, OfALoadBalancerKeepsItContentAtZeroWithoutATrigger) {
  ActivatorWorld world;
  for (const char* agent : {"GoogleHC/1.0", "ELB-HealthChecker/2.0", "Envoy/HC"}) {
    Caller& caller = world.get("/", "Host: a\r\nUser-Agent: " + std::string(agent) + "\r\n");
    world.until_done(caller);
    EXPECT_EQ(caller.status(), 200) << agent;
    EXPECT_EQ(caller.body(), "asleep") << agent;
  }
  EXPECT_THAT(world.sink.triggers, IsEmpty());
}

TEST(ActivatorDrain, IsUnreadyAtOnceFinishesRequestsInFlightAndThenClosesItsPort) {
  ActivatorWorld world;
  Replica& replica = world.add_replica("web-1");
  replica.hold();
  Caller& caller = world.get("/");
  world.until([&] { return replica.running == 1; });
  EXPECT_TRUE(world.service->readiness());
  world.service->start_draining();
  EXPECT_FALSE(world.service->readiness());
  Caller& probe = world.get("/", "Host: a\r\nUser-Agent: kube-probe/1.29\r\n");
  world.until_done(probe);
  EXPECT_EQ(probe.status(), 503);
  replica.release();
  world.stop_service(seconds(5));
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
  Caller& late = world.get("/");
  world.until_done(late);
  EXPECT_EQ(late.answer(), "") << "the port is closed";
}

TEST(ActivatorDrain, GivesARequestTheDrainTimeOfItsService) {
  ActivatorWorld world;
  world.web().settings.request_timeout = minutes(20);
  Replica& replica = world.add_replica("web-1");
  replica.hold();
  Caller& caller = world.get("/");
  world.until([&] { return replica.running == 1; });
  world.service->start_draining();
  const TimePoint deadline = world.clock.now() + world.service->drain_time();
  world.pass(minutes(15));
  EXPECT_FALSE(world.service->is_idle());
  ASSERT_GT(deadline, world.clock.now());
  replica.release();
  world.stop_service(deadline - world.clock.now());
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
}

TEST(ActivatorDrain, LastsAsLongAsTheLongestDrainTimeOfAService) {
  ActivatorWorld world;
  world.web().settings.request_timeout = minutes(20);
  cluster::Revision shop = world.web();
  shop.id = RevisionId("shop");
  shop.settings.drain_timeout = minutes(30);
  world.cluster.truth.insert(world.cluster.truth.begin(), shop);
  world.cluster.publish();
  EXPECT_EQ(world.service->drain_time(), minutes(30));
  world.cluster.truth.clear();
  world.cluster.publish();
  EXPECT_EQ(world.service->drain_time(), kDefaultDrainTime);
}

TEST(ActivatorDrain, RejectsRequestsThatStillWaitAtItsEnd) {
  ActivatorWorld world;
  Caller& caller = world.get("/");
  world.until_waiting(1);
  world.stop_service(Duration::zero());
  world.until_done(caller);
  EXPECT_EQ(caller.status(), 503);
  EXPECT_THAT(caller.answer(), HasSubstr("X-Bellows-Reason: cancelled"));
}

}  // namespace
}  // namespace bellows::activator
