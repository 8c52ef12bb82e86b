// Apps with short backlogs: a connection for which there is no room is not begun, and one that is
// open on this side only is given up.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestListener;
using test::TestPeer;

/// Callers of an app that accepts when the test says so. Its backlog of 1 takes two connections.
class ShortBacklog {
 public:
  explicit ShortBacklog(int count) {
    world.handler.upstream.port = app.port();
    for (int i = 0; i < count; ++i) {
      callers.push_back(world.caller());
      EXPECT_TRUE(callers.back().say(kGet));
      EXPECT_TRUE(world.until([&] { return world.server.counters().in_flight == i + 1; }));
    }
    EXPECT_TRUE(world.until([&] { return world.handler.pool.open() == 2; }));
  }

  TestPeer accept() {
    TestPeer peer;
    EXPECT_TRUE(world.until([&] { return (peer = app.accept()).is_open(); }));
    EXPECT_TRUE(world.hears(peer, kGet));
    return peer;
  }

  ProxyWorld world;
  TestListener app{test::loopback(0), 1};
  std::vector<TestPeer> callers;
};

TEST(FullBacklog, RequestsWaitInOrderAndAreSentWhenTheAppResponds) {
  ShortBacklog run(5);
  std::vector<TestPeer> busy;
  for (std::size_t i = 0; i < run.callers.size(); ++i) {
    TestPeer peer = run.accept();
    EXPECT_LE(run.world.sockets.connects, static_cast<int>(i) + 2);
    ASSERT_TRUE(peer.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
    ASSERT_TRUE(run.world.until([&] {
      run.callers[i].listen();
      return !run.callers[i].received().empty();
    })) << i;
  }
  EXPECT_EQ(run.world.sockets.connects, 5);
}

// A server with a thread for each connection accepts without responding.
TEST(FullBacklog, IsLookedAtAgainSoon) {
  ShortBacklog run(4);
  const TestPeer first = run.accept();
  const TestPeer second = run.accept();
  EXPECT_EQ(run.world.sockets.connects, 2);
  run.world.pass(milliseconds(100));
  EXPECT_TRUE(run.world.until([&] { return run.world.sockets.connects == 4; }));
}

TEST(FullBacklog, ACallerThatLeavesMakesRoomForTheNext) {
  ShortBacklog run(4);
  run.callers[2].close();
  ASSERT_TRUE(run.world.until([&] { return run.world.server.counters().in_flight == 3; }));
  const TestPeer first = run.accept();
  run.world.pass(milliseconds(100));
  EXPECT_TRUE(run.world.until([&] { return run.world.sockets.connects == 3; }));
}

TEST(FullBacklog, OfAnAppThatDoesNothingIsAConnectTimeout) {
  ShortBacklog run(3);
  run.world.pass(milliseconds(1900));
  EXPECT_TRUE(run.world.handler.errors.empty());
  run.world.pass(milliseconds(200));
  ASSERT_TRUE(run.world.until([&] { return !run.world.handler.errors.empty(); }));
  EXPECT_EQ(run.world.handler.errors[0].kind(), ErrorKind::kTimeout);
  EXPECT_TRUE(run.world.handler.errors[0].may_retry());
}

TEST(FullBacklog, OfAnAppThatRespondsToOthersIsNone) {
  ShortBacklog run(4);
  for (std::size_t i = 0; i < run.callers.size(); ++i) {
    run.world.pass(milliseconds(1500));
    TestPeer peer = run.accept();
    ASSERT_TRUE(peer.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
    ASSERT_TRUE(run.world.until([&] {
      run.callers[i].listen();
      return !run.callers[i].received().empty();
    })) << i;
    EXPECT_EQ(status_line(run.callers[i]), "HTTP/1.1 200 OK");
  }
}

TEST(FullBacklog, AnEndOfTheServerEndsTheWait) {
  ShortBacklog run(4);
  bool is_done = false;
  http::net::co_spawn(run.world.io, run.world.server.stop(run.world.clock.now()),
                      [&](const std::exception_ptr&) { is_done = true; });
  EXPECT_TRUE(run.world.until([&] { return is_done; }));
}

/// What the system tells of a connection of which the app does not know.
const http::Delivery kRepeated{.acknowledged = 0,
                               .repetitions = 2,
                               .timeouts = 1,
                               .since_sent = std::chrono::milliseconds(60)};

TEST(NewConnection, ThatHasDeliveredNothingIsGivenUpForAnother) {
  for (const std::string& request : {kGet, kPost}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(request));
    TestPeer lost = world.accept();
    ASSERT_TRUE(world.hears(lost, request));
    world.sockets.delivered = kRepeated;
    world.pass(milliseconds(310));
    TestPeer app = world.accept();
    world.sockets.delivered.reset();
    ASSERT_TRUE(world.hears(app, request));
    ASSERT_TRUE(world.until([&] {
      lost.listen();
      return lost.was_reset();
    }));
    ASSERT_TRUE(app.say(kOk));
    EXPECT_TRUE(world.hears(caller, kOk));
    EXPECT_EQ(world.outcomes.at(0).retries.runs(), 0);
  }
}

TEST(NewConnection, ThatMayHaveDeliveredSomethingIsKept) {
  http::Delivery acknowledged = kRepeated;
  acknowledged.acknowledged = 1;
  http::Delivery once = kRepeated;
  once.repetitions = 1;
  once.timeouts = 0;
  http::Delivery just_now = kRepeated;
  just_now.since_sent = milliseconds(40);
  for (const http::Delivery& state : {acknowledged, once, just_now}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(kPost));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, kPost));
    world.sockets.delivered = state;
    for (int i = 0; i < 10; ++i) world.pass(milliseconds(100));
    ASSERT_TRUE(app.say(kOk));
    EXPECT_TRUE(world.hears(caller, kOk));
    EXPECT_EQ(world.sockets.connects, 1);
  }
}

// What was read from the caller and given to the system is gone.
TEST(NewConnection, ThatHasTakenPartOfALargeBodyIsKept) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello"));
  TestPeer app = world.accept();
  ASSERT_TRUE(caller.say("world"));
  ASSERT_TRUE(world.until([&] {
    app.listen();
    return app.received().ends_with("helloworld");
  }));
  world.sockets.delivered = kRepeated;
  for (int i = 0; i < 10; ++i) world.pass(milliseconds(100));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(caller, kOk));
}

TEST(NewConnection, ThatIsLostAgainAndAgainIsAnError) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kPost));
  world.sockets.delivered = kRepeated;
  std::vector<TestPeer> lost;
  for (int i = 0; i < RetryBudget::kMaxResets; ++i) {
    lost.push_back(world.accept());
    ASSERT_TRUE(world.hears(lost.back(), kPost));
    world.pass(milliseconds(310));
  }
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_EQ(world.handler.errors[0].kind(), ErrorKind::kReset);
  EXPECT_EQ(world.sockets.connects, RetryBudget::kMaxResets);
}

}  // namespace
}  // namespace bellows::proxy
