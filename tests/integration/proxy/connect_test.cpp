// Upstreams with host names: which address is used, and how long one may take.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using test::TestListener;
using test::TestPeer;

/// The port of 127.0.0.1 is known to be free of listeners as long as `ipv6` holds it on ::1 only.
void expect_served_by(ProxyWorld& world, TestListener& ipv6, TestPeer& caller) {
  TestPeer app;
  ASSERT_TRUE(world.until([&] { return (app = ipv6.accept()).is_open(); }));
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(caller, kOk));
}

TEST(NamedUpstream, AnAppThatListensOnTheSecondAddressOnlyIsReached) {
  ProxyWorld world;
  TestListener ipv6(test::loopback6(0));
  world.handler.upstream = Endpoint{.host = "localhost", .port = ipv6.port(), .unix_path = {}};
  world.sockets.fail_connect = 0;  // another process may have the port of 127.0.0.1
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  expect_served_by(world, ipv6, caller);
}

TEST(NamedUpstream, AnUnresponsiveAddressLeavesHalfOfTheTimeToTheOther) {
  ProxyWorld world;
  world.sockets.knows_backlogs = false;
  const TestListener silent(test::loopback(0), 0);
  TestListener ipv6(test::loopback6(silent.port()));
  // A backlog of 0 is full with one connection: later handshakes do not complete.
  const TestPeer fills_it = TestPeer::connect_to(silent.port());
  world.handler.upstream = Endpoint{.host = "localhost", .port = silent.port(), .unix_path = {}};
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.until([&] { return world.sockets.connects == 1; }));
  world.pass(milliseconds(900));
  EXPECT_EQ(world.sockets.connects, 1);
  world.pass(milliseconds(200));  // half of the connect timeout of 2 s
  expect_served_by(world, ipv6, caller);
  EXPECT_EQ(world.sockets.connects, 2);
}

// The replica had less than a second to accept the connection, so it is not to blame.
TEST(Connecting, AfterTheRequestsTimeLimitIsNotRetried) {
  ProxyWorld world;
  world.sockets.knows_backlogs = false;
  const TestListener silent(test::loopback(0), 0);
  const TestPeer fills_it = TestPeer::connect_to(silent.port());
  world.handler.upstream.port = silent.port();
  world.handler.options.limits.total = milliseconds(500);
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.until([&] { return world.sockets.connects == 1; }));
  world.pass(milliseconds(600));
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 504 Gateway Timeout");
  EXPECT_FALSE(world.handler.errors.at(0).may_retry());
  EXPECT_EQ(world.handler.errors.at(0).side(), ErrorSide::kInternal);
  EXPECT_EQ(world.handler.statuses.at(0), 504) << "as the handler counts it";
}

TEST(Connecting, StoppedWithTheServerIsARejection) {
  ProxyWorld world;
  world.sockets.knows_backlogs = false;
  const TestListener silent(test::loopback(0), 0);
  const TestPeer fills_it = TestPeer::connect_to(silent.port());
  world.handler.upstream.port = silent.port();
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.until([&] { return world.sockets.connects == 1; }));
  bool is_done = false;
  http::net::co_spawn(world.io, world.server.stop(world.clock.now()),
                      [&](const std::exception_ptr&) { is_done = true; });
  EXPECT_TRUE(world.until([&] { return is_done; }));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 503 Service Unavailable");
}

TEST(NamedUpstream, WithoutAListenerHasTheErrorOfTheFirstAddress) {
  ProxyWorld world;
  TestListener closed(test::loopback6(0));
  closed.close();
  world.handler.upstream = Endpoint{.host = "localhost", .port = closed.port(), .unix_path = {}};
  world.sockets.fail_connect = 0;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_EQ(world.handler.errors[0].kind(), ErrorKind::kReset);
  EXPECT_EQ(world.sockets.connects, 2);
}

}  // namespace
}  // namespace bellows::proxy
