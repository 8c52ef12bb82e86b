// Replicas that fail: ejection, retries elsewhere, probes and recovery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/log.hpp"
#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ActivatorReplicaThatRefuses, IsEjectedAndItsRequestsAreRetriedElsewhere) {
  ActivatorWorld world;
  world.add_replica("web-1").kill();
  world.add_replica("web-2");
  for (int i = 0; i < 20; ++i) {
    Caller& caller = world.post("/" + std::to_string(i));
    world.until_done(caller);
    ASSERT_EQ(caller.status(), 200) << "request " << i << ": " << caller.answer();
    ASSERT_THAT(caller.body(), HasSubstr("web-2"));
  }
  EXPECT_THAT(world.registry.expose(),
              HasSubstr("bellows_activator_ejections_total{reason=\"refused\",revision=\"web\","
                        "service=\"web\"} 1"));
  EXPECT_THAT(world.registry.expose(),
              HasSubstr("bellows_activator_retries_total{reason=\"refused\",revision=\"web\","
                        "service=\"web\"} 1"));
}

TEST(ActivatorReplicaThatRefuses, AndIsTheOnlyOneKeepsItsRequestQueuedForTheNext) {
  ActivatorWorld world;
  world.add_replica("web-1").kill();
  Caller& caller = world.post("/");
  world.until_waiting(1);
  world.pass(seconds(3));
  EXPECT_EQ(world.waiting(), 1) << "it may recover, or another one may become ready";
  world.add_replica("web-2");
  world.until_done(caller);
  EXPECT_EQ(caller.body(), "web-2 /");
}

TEST(ActivatorReplicaThatRefuses, ServesAgainWhenItIsReadyAtAnotherPort) {
  ActivatorWorld world;
  Replica& bad = world.add_replica("web-1");
  Replica& good = world.add_replica("web-2");
  bad.kill();
  world.until_done(world.get("/"));
  world.until_done(world.get("/"));
  // The cluster lists it at another port.
  world.unlist("web-1");
  Replica& back = world.add_replica("web-1");
  for (int i = 0; i < 4; ++i) world.until_done(world.get("/"));
  EXPECT_THAT(back.paths, SizeIs(2));
  EXPECT_THAT(good.paths, SizeIs(4));
}

TEST(ActivatorReplicaWhoseAppEnded, RejectsRequestsAndTheyAreRetriedElsewhere) {
  ActivatorWorld world;
  world.add_replica("web-1").lose_app();
  world.add_replica("web-2");
  for (int i = 0; i < 10; ++i) {
    Caller& caller = world.post("/" + std::to_string(i));
    world.until_done(caller);
    ASSERT_EQ(caller.body(), "web-2 /" + std::to_string(i));
  }
  EXPECT_THAT(world.replicas[0]->paths, SizeIs(1)) << "then it was ejected";
}

TEST(ActivatorReplicaWhoseAppEnded, IsProbedAndServesAgainWhenAProbeSucceeds) {
  ActivatorWorld world;
  Replica& replica = world.add_replica("web-1");
  replica.lose_app();
  Caller& caller = world.post("/");
  world.until_waiting(1);
  world.pass(milliseconds(150));
  world.until([&] { return replica.probes == 1; });
  EXPECT_EQ(world.waiting(), 1);
  EXPECT_THAT(world.registry.expose(),
              HasSubstr("bellows_activator_ejections_total{reason=\"refused\",revision=\"web\","
                        "service=\"web\"} 1"));
  replica.find_app();
  // The result of the first probe must arrive before the next probe is sent.
  world.until_done_in_time(caller);
  EXPECT_EQ(caller.body(), "web-1 /");
  EXPECT_EQ(replica.probes, 2);
  EXPECT_THAT(replica.paths, SizeIs(2)) << "probes are no requests";
}

TEST(ActivatorReplicasWhoseAppsAllEnded, KeepRequestsOfEveryMethodQueuedUntilOneIsBack) {
  ActivatorWorld world;
  Replica& first = world.add_replica("web-1");
  for (const char* name : {"web-2", "web-3", "web-4"}) world.add_replica(name).lose_app();
  first.lose_app();
  Caller& get = world.get("/get");
  Caller& post = world.post("/post");
  world.until_waiting(2);
  first.find_app();
  for (const Caller* caller : {&get, &post}) {
    world.until_done_in_time(*caller);
    EXPECT_EQ(caller->status(), 200);
    EXPECT_THAT(caller->answer(), Not(HasSubstr("X-Bellows-R"))) << "a hop header";
  }
}

TEST(ActivatorReplicasWhoseAppsAllEnded, FailARequestWhenItsTimeInTheQueueIsOver) {
  ActivatorWorld world;
  world.add_replica("web-1").lose_app();
  Caller& caller = world.get("/");
  world.until_waiting(1);
  world.until([&] {
    world.pass(seconds(1));
    return caller.is_done();
  });
  EXPECT_EQ(caller.status(), 503);
}

TEST(ActivatorReplicaKilled, FailsOnlyRequestsInFlightThereThatAreNotRetryable) {
  ActivatorWorld world;
  Replica& dying = world.add_replica("web-1");
  Replica& living = world.add_replica("web-2");
  dying.hold();
  living.hold();
  std::vector<Caller*> callers;
  for (int i = 0; i < 10; ++i) {
    callers.push_back(&world.post("/" + std::to_string(i)));
    world.until([&] { return dying.running + living.running == i + 1; });
  }
  ASSERT_EQ(dying.running, 5);
  dying.kill();
  world.until([&] { return world.in_flight() == 5; });
  living.release();
  int failed = 0;
  for (const Caller* caller : callers) {
    world.until_done(*caller);
    if (caller->status() == 502) ++failed;
  }
  EXPECT_EQ(failed, 5);
  EXPECT_EQ(world.in_flight(), 0);
}

TEST(ActivatorReplicaKilled, RetriesIdempotentRequestsElsewhere) {
  ActivatorWorld world;
  Replica& dying = world.add_replica("web-1");
  dying.hold();
  Caller& caller = world.get("/");
  world.until([&] { return dying.running == 1; });
  world.add_replica("web-2");
  dying.kill();
  world.until_done(caller);
  EXPECT_EQ(caller.body(), "web-2 /");
}

/// Sends twenty requests that are not retryable, one after the other.
int answered_of_20_posts(ActivatorWorld& world) {
  int answered = 0;
  for (int i = 0; i < 20; ++i) {
    Caller& caller = world.post("/" + std::to_string(i));
    world.until_done(caller);
    if (caller.status() == 200) ++answered;
  }
  return answered;
}

TEST(ActivatorReplicaWhoseAppFails, FailsTwoRequestsAndIsThenEjected) {
  struct Failure {
    int status;
    std::string reason;
  };
  for (const Failure& failure :
       {Failure{502, "reset"}, Failure{502, "malformed"}, Failure{504, "timeout"}}) {
    ActivatorWorld world;
    Replica& bad = world.add_replica("web-1");
    bad.fail_app(failure.status, failure.reason);
    world.add_replica("web-2");
    EXPECT_GE(answered_of_20_posts(world), 18) << failure.reason;
    EXPECT_THAT(bad.paths, SizeIs(Le(2U))) << failure.reason;
    EXPECT_THAT(world.registry.expose(),
                HasSubstr("bellows_activator_ejections_total{reason=\"" + failure.reason +
                          "\",revision=\"web\",service=\"web\"} 1"));
    world.pass(milliseconds(50));
    EXPECT_GE(answered_of_20_posts(world), 20) << failure.reason << ": 100 ms have not passed";
  }
}

TEST(ActivatorReplicaWhoseAppFails, FailsNoFurtherRequestsWhileItIsEjected) {
  ActivatorWorld world;
  Replica& bad = world.add_replica("web-1");
  bad.fail_app(502, "reset");
  world.add_replica("web-2");
  answered_of_20_posts(world);
  bad.find_app();
  // The result of the probe must arrive before requests are sent there again.
  world.until([&] {
    world.pass(milliseconds(50));
    world.until_done(world.post("/again"));
    return bad.paths.back() == "/again";
  });
  EXPECT_EQ(answered_of_20_posts(world), 20);
}

TEST(ActivatorReplicaWhoseAppFails, IsNotOneWithSlowOrMalformedCallers) {
  for (const int status : {400, 408, 503}) {
    ActivatorWorld world;
    Replica& replica = world.add_replica("web-1");
    replica.fail_app(status, status == 400 ? "malformed" : "timeout");
    for (int i = 0; i < 5; ++i) world.until_done(world.post("/"));
    EXPECT_THAT(replica.paths, SizeIs(5));
    for (const FailureReason reason : kFailureReasons) {
      EXPECT_THAT(world.registry.expose(), HasSubstr("bellows_activator_ejections_total{reason=\"" +
                                                     std::string(to_string(reason)) +
                                                     "\",revision=\"web\",service=\"web\"} 0\n"))
          << status;
    }
  }
}

/// This activator is one of two, in front of replicas with one slot each.
class ActivatorAmongTwo : public testing::Test {
 protected:
  ActivatorAmongTwo() {
    world_.web().settings.container_concurrency = 1;
    world_.web().path.activators = {PodName("activator-1"), PodName("activator-2")};
  }
  Replica& add_full_replica(const std::string& name) {
    Replica& replica = world_.add_replica(name);
    replica.fill();
    return replica;
  }
  /// The time at which a replica may be asked again passes meanwhile.
  void until_in_time(const std::function<bool()>& condition) {
    world_.until([&] {
      world_.pass(kFullTime);
      return condition();
    });
  }

  ActivatorWorld world_;
};

TEST_F(ActivatorAmongTwo, SendsARequestElsewhereIfTheOtherOneHasFilledTheReplica) {
  const Replica& full = add_full_replica("web-1");
  const Replica& idle = world_.add_replica("web-2");
  for (int i = 0; i < 5; ++i) {
    Caller& caller = world_.post("/page");
    world_.until_done(caller);
    EXPECT_EQ(caller.status(), 200) << "a POST too: no app got it before";
  }
  EXPECT_THAT(full.heads, ElementsAre("X-Bellows-Wait: none\r\n"));
  EXPECT_THAT(idle.paths, SizeIs(5));
  EXPECT_THAT(
      world_.registry.expose(),
      HasSubstr(
          "bellows_activator_retries_total{reason=\"full\",revision=\"web\",service=\"web\"} 1\n"));
}

TEST_F(ActivatorAmongTwo, LetsARequestWaitBrieflyAtAReplicaIfAllAreFull) {
  Replica& full = add_full_replica("web-1");
  Caller& caller = world_.get("/page");
  until_in_time([&] { return full.heads.size() >= 2; });
  full.fill(false);
  until_in_time([&] { return caller.is_done(); });
  EXPECT_EQ(caller.status(), 200);
  EXPECT_EQ(full.heads.front(), "X-Bellows-Wait: none\r\n");
  EXPECT_EQ(full.heads.back(), "X-Bellows-Wait: brief\r\n");
}

TEST_F(ActivatorAmongTwo, LetsARequestWaitAtTheReplicaIfItCouldNotBeSentAgain) {
  const Replica& full = add_full_replica("web-1");
  Caller& caller = world_.get("/page", "Host: a\r\nTransfer-Encoding: chunked\r\n");
  world_.until_done(caller);
  EXPECT_EQ(caller.status(), 200);
  EXPECT_THAT(full.heads, IsEmpty());
}

TEST(ActivatorPoisonRequest, OfOneCallerDoesNotAffectOthers) {
  ActivatorWorld world;
  for (const char* name : {"web-1", "web-2"}) world.add_replica(name).drop_requests_to("/poison");
  for (int i = 0; i < 30; ++i) {
    Caller& poison = world.get("/poison");
    world.until_done_in_time(poison);
    ASSERT_EQ(poison.status(), 502);
    if (i % 3 != 0) continue;
    Caller& good = world.post("/good");
    world.until_done(good);
    ASSERT_EQ(good.status(), 200) << "without time passing: no request waits for a replica";
  }
}

TEST(ActivatorReplicasThatEndTogether, TakeNoRequestWithThemThatComesBackWithinATenthOfASecond) {
  ActivatorWorld world;
  std::vector<Replica*> replicas;
  for (const char* name : {"web-1", "web-2", "web-3"}) {
    replicas.push_back(&world.add_replica(name));
    replicas.back()->drop_requests_to("/page");
  }
  Caller& caller = world.get("/page");
  const auto runs = [&] {
    std::size_t count = 0;
    for (const Replica* replica : replicas) count += replica->paths.size();
    return count;
  };
  world.until([&] { return runs() == 2; });
  for (Replica* replica : replicas) replica->drop_requests_to("/another");
  world.until_done_in_time(caller);
  EXPECT_EQ(caller.status(), 200);
  EXPECT_EQ(runs(), 3U);
}

std::vector<std::string> log_lines;

TEST(ActivatorPoisonRequest, BetweenResponsesEjectsNoReplica) {
  log_lines.clear();
  sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  {
    ActivatorWorld world;
    Replica& replica = world.add_replica("web-1");
    replica.drop_requests_to("/poison");
    for (int i = 0; i < 50; ++i) {
      world.until_done_in_time(i % 2 == 0 ? world.post("/poison") : world.get("/poison"));
      world.until_done(world.post("/good"));
    }
    EXPECT_THAT(replica.paths, SizeIs(150)) << "idempotent requests are sent three times";
    EXPECT_EQ(replica.probes, 0);
    EXPECT_THAT(world.registry.expose(),
                HasSubstr("bellows_activator_ejections_total{reason=\"reset\",revision=\"web\","
                          "service=\"web\"} 0"));
  }
  EXPECT_THAT(log_lines, Not(Contains(HasSubstr("replica ejected"))));
  sys::log::set_sink(nullptr);
}

}  // namespace
}  // namespace bellows::activator
