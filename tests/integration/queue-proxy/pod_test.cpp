// What a queue-proxy is in a pod: a port for activators beside that for everybody, and a drain that
// waits until no node sends requests any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/queue-proxy/service_world.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using config::QueueProxySettings;
using testing::HasSubstr;
using testing::Not;

const std::string kProbe = "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: kube-probe/1.29\r\n\r\n";

void in_a_pod(QueueProxySettings& settings) {
  settings.activator_port = 0;
  settings.drain_port = 0;
  settings.drain_timeout = 25s;
  settings.drain_quiet_time = 4s;
}

/// A queue-proxy in a pod whose app is ready.
class PodTest : public testing::Test {
 protected:
  PodTest() { EXPECT_TRUE(world.is_told(R"({"event":"ready"})")); }

  /// Time passes, and the queue-proxy has looked since. It must not end meanwhile.
  void pass(Duration time) {
    world.clock.advance(time);
    for (int trip = 0; trip < 20; ++trip)
      world.is_ready();  // together longer than between two looks
  }

  bool has_answer(TestPeer& peer, std::string_view text = "drained\n") {
    peer.listen();
    return peer.received().ends_with(text);
  }

  ServiceWorld world{in_a_pod};
};

TEST_F(PodTest, TellsItsLoadAtThePortForActivatorsOnly) {
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.hears(caller, "ok"));
  EXPECT_THAT(caller.received(), Not(HasSubstr("X-Bellows-")));
  TestPeer activator = world.activator();
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.hears(activator, "ok"));
  EXPECT_THAT(activator.received(), HasSubstr("X-Bellows-In-Flight: 1\r\n"));
}

TEST_F(PodTest, LeavesTheForwardedHeaderToActivatorsOnly) {
  const std::string request = "GET /a HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.1\r\n\r\n";
  const auto app_gets = [&] {
    std::string got;
    EXPECT_TRUE(world.until([&] {
      world.held_by_app();
      for (TestPeer& peer : world.app_peers) {
        if (peer.received().empty()) continue;
        got = peer.take_received();
        return peer.say(kOk);
      }
      return false;
    }));
    return got;
  };
  TestPeer activator = world.activator(request);
  EXPECT_THAT(app_gets(), Not(HasSubstr("127.0.0.1")));
  TestPeer caller = world.caller(request);
  EXPECT_THAT(app_gets(), HasSubstr("X-Forwarded-For: 127.0.0.1\r\n"));
}

// An activator has checked the head and then added lines to it.
TEST_F(PodTest, TakesLargerHeadsFromActivatorsOnly) {
  const std::string request =
      "GET /a HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(33'000, 'x') + "\r\n\r\n";
  TestPeer caller = world.caller(request);
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().starts_with("HTTP/1.1 431 ");
  }));
  TestPeer activator = world.activator(request);
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(activator, "ok"));
}

TEST_F(PodTest, ReportsToActivatorsOnlyThatAnotherReplicaMayTry) {
  world.app.close();
  const auto answer = [&](TestPeer peer) {
    EXPECT_TRUE(world.until([&] {
      world.clock.advance(1s);  // others than activators wait for queue-age
      peer.listen();
      return peer.received().starts_with("HTTP/1.1 502 ");
    }));
    return peer.received();
  };
  EXPECT_THAT(answer(world.activator()), HasSubstr("X-Bellows-Retry: elsewhere\r\n"));
  EXPECT_THAT(answer(world.caller()), Not(HasSubstr("X-Bellows-Retry")));
}

TEST_F(PodTest, AcceptsNewConnectionsForTheQuietTimeAfterTheSignal) {
  world.drain();
  pass(3s);
  EXPECT_FALSE(world.is_done);
  EXPECT_FALSE(world.is_ready());
  TestPeer late = world.caller();  // of a node that has not followed yet
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(late, "ok"));
  pass(3900ms);
  EXPECT_FALSE(world.is_done) << "the time counts from the last request";
  world.clock.advance(100ms);
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

// A request may be on its way over a connection that was idle when the drain began.
TEST_F(PodTest, KeepsIdleConnectionsForOneMoreResponseDuringTheQuietTime) {
  TestPeer kept = world.known_caller();
  TestPeer idle = world.known_caller();
  world.drain();
  pass(2s);
  ASSERT_TRUE(kept.say(kGet));
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(kept, "ok"));
  EXPECT_THAT(kept.received(), HasSubstr("Connection: close\r\n"));
  idle.listen();
  EXPECT_FALSE(idle.has_ended());
  world.clock.advance(4s);
  EXPECT_TRUE(world.until([&] {
    idle.listen();
    return idle.has_ended() && world.is_done;
  }));
}

TEST_F(PodTest, CountsAConnectionWithoutARequestAsAnArrival) {
  world.drain();
  pass(3s);
  TestPeer silent = world.silent_caller();
  pass(2s);
  EXPECT_FALSE(world.is_done);
  world.clock.advance(4s);
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

TEST_F(PodTest, DoesNotStayForProbesOfTheKubelet) {
  world.drain();
  for (int second = 0; second < 4; ++second) {
    if (second > 0) pass(1s);
    TestPeer probe = world.caller(kProbe);
    EXPECT_TRUE(world.until([&] {
      probe.listen();
      return probe.received().starts_with("HTTP/1.1 503 ");
    }));
    world.silent_caller().close();  // a probe by TCP
    EXPECT_FALSE(world.is_done);
  }
  world.clock.advance(1s);
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

TEST_F(PodTest, LeavesAtTheDrainTimeoutUnderSteadyArrivals) {
  world.drain();
  for (int second = 0; second < 25; ++second) {
    EXPECT_FALSE(world.is_done) << second;
    TestPeer caller = world.caller();
    ASSERT_TRUE(world.app_answers());
    ASSERT_TRUE(world.hears(caller, "ok"));
    world.clock.advance(1s);
  }
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

TEST_F(PodTest, AnswersTheHookOfTheAppWhenItsLastRequestIsDone) {
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  TestPeer hook = world.hook("/drain");
  ASSERT_TRUE(world.is_told(R"({"event":"draining"})"));
  EXPECT_FALSE(world.is_ready());
  pass(8s);
  EXPECT_FALSE(has_answer(hook)) << "the app would be told to end with a request in flight";
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(caller, "ok"));
  EXPECT_TRUE(world.until([&] { return has_answer(hook); }));
  EXPECT_FALSE(world.is_done) << "only a signal ends it";
  caller.close();
  world.drain();
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

// The kubelet of Kubernetes 1.20 asks for "/" + path, and takes a 404 for success.
TEST_F(PodTest, KnowsTheHookWithTheSecondSlashOfOlderKubelets) {
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  TestPeer of_app = world.hook("//drain");
  TestPeer own = world.hook("//drain/pod");
  ASSERT_TRUE(world.is_told(R"({"event":"draining"})"));
  pass(8s);
  EXPECT_FALSE(has_answer(of_app) || has_answer(own));
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.until([&] { return has_answer(of_app) && has_answer(own); }));
}

TEST_F(PodTest, AnswersTheHookAtTheDrainTimeoutWithWhatIsLeft) {
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  TestPeer hook = world.hook("/drain");
  ASSERT_TRUE(world.is_told(R"({"event":"draining"})"));
  pass(25s);
  EXPECT_TRUE(world.until([&] { return has_answer(hook, "requests are left\n"); }));
}

// A native sidecar gets its signal after the app has ended.
TEST_F(PodTest, StaysDrainedAfterTheHookOfItsOwnContainerAsLongAsAPodMayTake) {
  TestPeer own = world.hook("/drain/pod");
  TestPeer of_app = world.hook("/drain");
  ASSERT_TRUE(world.is_told(R"({"event":"draining"})"));
  pass(4s);
  EXPECT_TRUE(world.until([&] { return has_answer(own) && has_answer(of_app); }));
  pass(40s);
  EXPECT_FALSE(world.is_ready());
  EXPECT_EQ(world.told_line(), "");
}

// The kubelet runs the hook of an app also when it restarts that app alone.
TEST_F(PodTest, ServesAgainIfNoSignalFollowsTheHookOfTheApp) {
  TestPeer hook = world.hook("/drain");
  ASSERT_TRUE(world.is_told(R"({"event":"draining"})"));
  pass(4s);
  ASSERT_TRUE(world.until([&] { return has_answer(hook); }));
  EXPECT_FALSE(world.is_ready());
  world.clock.advance(6s);
  EXPECT_TRUE(world.is_told(R"({"event":"ready"})"));
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(caller, "ok"));
  EXPECT_THAT(caller.received(), Not(HasSubstr("Connection: close")));
  TestPeer again = world.hook("/drain");
  EXPECT_TRUE(world.is_told(R"({"event":"draining"})"));
}

TEST(QueueProxyWithoutADrainPort, HasNoPageThatAnybodyCouldDrainItWith) {
  ServiceWorld world;
  EXPECT_THAT(world.asked("/drain"), HasSubstr("HTTP/1.1 404 "));
  EXPECT_THAT(world.asked("/drain/pod"), HasSubstr("HTTP/1.1 404 "));
}

}  // namespace
}  // namespace bellows::queue_proxy
