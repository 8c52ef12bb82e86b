// What a failed try says about the request: may another upstream get it?
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

/// One exchange after which both connections are idle.
void warm_up(ProxyWorld& world, TestPeer& caller, TestPeer& app) {
  ASSERT_TRUE(caller.say(kGet));
  app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(caller, kOk));
  app.take_received();
  caller.take_received();
}

// Once over the idle connection, once over a fresh one: another upstream may still get it, because
// one of both may have ended before it read the request.
TEST(IdleUpstream, OfAnAppThatDropsARequestTwiceIsRetriedElsewhere) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  TestPeer app;
  warm_up(world, caller, app);
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.hears(app, kGet));
  app.close();
  TestPeer again = world.accept();
  ASSERT_TRUE(world.hears(again, kGet));
  again.close();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_TRUE(world.handler.errors.at(0).may_retry());
  EXPECT_EQ(world.outcomes.at(1).retries.runs(), 2);
}

// The replica was killed: what waits in the backlog of its socket is reset and has reached nobody.
TEST(FreshUpstream, ThatIsResetBeforeItReadTheRequestHasReachedNobody) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(app.is_open());
  app.reset();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_TRUE(world.handler.errors.at(0).may_retry());
  ASSERT_TRUE(world.until([&] { return !world.outcomes.empty(); }));
  EXPECT_EQ(world.outcomes.at(0).retries.runs(), 0);
}

TEST(FreshUpstream, ThatIsResetAfterAPostWasSentDoesNotGetItAgain) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kPost));
  TestPeer app = world.accept();
  ASSERT_TRUE(app.is_open());
  app.reset();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_FALSE(world.handler.errors.at(0).may_retry());
}

// Over the fresh connection the hop reports how often its app may have received the request.
TEST(IdleUpstream, OfAnInnerHopWhoseAppIsGoneIsRetriedElsewhereUntilItRanThreeTimes) {
  struct Case {
    std::string lines;
    bool may_retry;
  };
  for (const auto& [lines, may_retry] :
       {Case{"X-Bellows-Reason: refused\r\n", true}, Case{"X-Bellows-Reason: reset\r\n", true},
        Case{"X-Bellows-Reason: reset\r\nX-Bellows-Runs: 0\r\n", true},
        Case{"X-Bellows-Reason: reset\r\nX-Bellows-Runs: 2\r\n", false}}) {
    ProxyWorld world;
    world.handler.options.upstream = Peer::kInside;
    TestPeer caller = world.caller();
    TestPeer queue_proxy;
    warm_up(world, caller, queue_proxy);
    ASSERT_TRUE(caller.say(kGet));
    ASSERT_TRUE(world.hears(queue_proxy, kGet));
    queue_proxy.close();
    TestPeer again = world.accept();
    ASSERT_TRUE(world.hears(again, kGet));
    ASSERT_TRUE(again.say("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n" + lines +
                          "x-bellows-retry: elsewhere\r\n\r\n"));
    ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
    EXPECT_EQ(world.handler.errors.at(0).may_retry(), may_retry) << lines;
  }
}

}  // namespace
}  // namespace bellows::proxy
