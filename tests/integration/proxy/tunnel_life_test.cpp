// How long a tunnel lasts, and what a server that stops does about tunnels.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <string>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

/// A tunnel between `caller` and `app`; false if it was not opened.
bool open_tunnel(ProxyWorld& world, TestPeer& caller, TestPeer& app) {
  const std::string ask =
      "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  const std::string go =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  if (!caller.say(ask)) return false;
  app = world.accept();
  return world.hears(app, ask) && app.say(go) && world.hears(caller, go);
}

TEST(Tunnel, EndsInOrderWhenItsLifeIsOver) {
  ProxyWorld world;
  world.handler.options.limits.tunnel = std::chrono::minutes(10);
  TestPeer caller = world.caller();
  TestPeer app;
  ASSERT_TRUE(open_tunnel(world, caller, app));
  world.pass(std::chrono::minutes(9));
  ASSERT_TRUE(app.say("still in use"));
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().ends_with("still in use");
  }));
  EXPECT_EQ(world.server.counters().open_tunnels, 1);
  world.pass(std::chrono::minutes(1));
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_FALSE(caller.was_reset());
  ASSERT_TRUE(world.hears_end(app));
  EXPECT_TRUE(world.is_at_rest());
  EXPECT_EQ(world.server.counters().open_tunnels, 0);
}

TEST(Stop, TellsOnceThatOnlyTunnelsAreLeft) {
  ProxyWorld world;
  TestPeer talker = world.caller();
  TestPeer chat;
  ASSERT_TRUE(open_tunnel(world, talker, chat));
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.until([&] { return world.server.counters().in_flight == 2; }));
  int told = 0;
  bool has_stopped = false;
  http::net::co_spawn(
      world.io, world.server.stop(world.clock.now() + std::chrono::minutes(1), [&told] { ++told; }),
      [&has_stopped](const std::exception_ptr&) { has_stopped = true; });
  ASSERT_TRUE(app.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  caller.close();
  ASSERT_TRUE(world.until([&] { return told > 0; }));
  EXPECT_EQ(world.server.counters().in_flight, 1);
  EXPECT_FALSE(has_stopped);
  chat.close();
  talker.close();
  ASSERT_TRUE(world.until([&] { return has_stopped; }));
  EXPECT_EQ(told, 1);
}

// Who is told that only tunnels are left tells their app to end.
TEST(Stop, DoesNotTellThatOnlyTunnelsAreLeftWhileARequestMayCome) {
  for (const bool is_new : {true, false}) {
    SCOPED_TRACE(is_new ? "over a connection that was just made" : "whose head has begun");
    ProxyWorld world;
    TestPeer talker = world.caller();
    TestPeer chat;
    ASSERT_TRUE(open_tunnel(world, talker, chat));
    TestPeer caller = world.caller();
    ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 2; }));
    ASSERT_TRUE(is_new || caller.say(kGet.substr(0, 10)));
    int told = 0;
    bool has_stopped = false;
    http::net::co_spawn(
        world.io,
        world.server.stop(world.clock.now() + std::chrono::minutes(1), [&told] { ++told; }),
        [&has_stopped](const std::exception_ptr&) { has_stopped = true; });
    world.io.poll();
    world.pass(std::chrono::milliseconds(400));
    world.io.poll();
    ASSERT_EQ(told, 0);
    ASSERT_TRUE(caller.say(is_new ? kGet : kGet.substr(10)));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, kGet));
    world.pass(std::chrono::seconds(5));
    world.io.poll();
    ASSERT_EQ(told, 0);
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears_end(caller));
    world.pass(std::chrono::milliseconds(600));
    ASSERT_TRUE(world.until([&] { return told > 0; })) << "half a second after that at the latest";
    chat.close();
    talker.close();
    caller.close();
    ASSERT_TRUE(world.until([&] { return has_stopped; }));
    EXPECT_EQ(told, 1);
  }
}

TEST(Stop, IsNotDelayedByACallerThatSaysNothing) {
  ProxyWorld world;
  TestPeer talker = world.caller();
  TestPeer chat;
  ASSERT_TRUE(open_tunnel(world, talker, chat));
  TestPeer silent = world.caller();
  ASSERT_TRUE(silent.say("GET /a"));
  ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 2; }));
  int told = 0;
  bool has_stopped = false;
  http::net::co_spawn(
      world.io, world.server.stop(world.clock.now() + std::chrono::minutes(1), [&told] { ++told; }),
      [&has_stopped](const std::exception_ptr&) { has_stopped = true; });
  world.io.poll();
  EXPECT_EQ(told, 0);
  world.pass(std::chrono::milliseconds(600));
  EXPECT_TRUE(world.until([&] { return told == 1; }));
  chat.close();
  talker.close();
  silent.close();
  EXPECT_TRUE(world.until([&] { return has_stopped; }));
}

}  // namespace
}  // namespace bellows::proxy
