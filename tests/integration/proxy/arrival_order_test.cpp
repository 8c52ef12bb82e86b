// Requests are served in the order in which they arrived, on new and on idle connections.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

class ArrivalOrder : public testing::Test {
 protected:
  /// Before the proxy's `call`-th accept from now on, the callers do something.
  void before_accept(int call, std::function<void()> callers_do) {
    world_.sockets.before_accept = [call, at = 0, callers_do = std::move(callers_do)]() mutable {
      if (++at == call) callers_do();
    };
  }
  /// The paths in the order in which they were forwarded.
  std::string order_at_app(std::size_t count) {
    TestPeer app = world_.accept();
    std::string order;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(world_.until([&] {
        app.listen();
        return app.received().find("\r\n\r\n") != std::string::npos;
      }));
      order += app.received().substr(4, app.received().find(" HTTP") - 4);
      app.take_received();
      EXPECT_TRUE(app.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    }
    return order;
  }

  ProxyWorld world_{{.slots = 1, .queue = {.count = 100}}};
};

// first: connected -> accepted, idle -> sends
// second:                                        connected, sends -> accepted in the same burst
TEST_F(ArrivalOrder, AnIdleConnectionThatSendsBeforeTheNextOneConnectsIsFirst) {
  TestPeer first = world_.caller();
  TestPeer second;
  before_accept(2, [&] {
    EXPECT_TRUE(first.say(get("/first")));
    second = world_.caller();
    EXPECT_TRUE(second.say(get("/second")));
  });
  EXPECT_EQ(order_at_app(2), "/first/second");
}

// first has been idle and sends when the proxy already knows of a new connection, but not
// yet of `second`, which it accepts together with that one.
TEST_F(ArrivalOrder, ALongIdleConnectionThatSendsBeforeTheNextOneConnectsIsFirst) {
  TestPeer first = world_.caller();
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().open_connections == 1; }));
  TestPeer newcomer = world_.caller();
  TestPeer second;
  before_accept(1, [&] {
    EXPECT_TRUE(first.say(get("/first")));
    second = world_.caller();
    EXPECT_TRUE(second.say(get("/second")));
  });
  EXPECT_EQ(order_at_app(2), "/first/second");
}

TEST_F(ArrivalOrder, AReusedConnectionThatSendsBeforeTheNextOneConnectsIsFirst) {
  TestPeer first = world_.caller();
  ASSERT_TRUE(first.say("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  TestPeer newcomer = world_.caller();
  TestPeer second;
  before_accept(1, [&] {
    EXPECT_TRUE(first.say(get("/first")));
    second = world_.caller();
    EXPECT_TRUE(second.say(get("/second")));
  });
  EXPECT_EQ(order_at_app(2), "/first/second");
}

TEST_F(ArrivalOrder, EarlySendersAreServedInTheOrderOfTheirConnects) {
  std::vector<TestPeer> callers;
  std::string expected;
  for (int i = 0; i < 90; ++i) {  // more than are accepted in one burst
    const std::string path = "/" + std::to_string(i);
    callers.push_back(world_.caller());
    ASSERT_TRUE(callers.back().say(get(path)));
    expected += path;
  }
  EXPECT_EQ(order_at_app(callers.size()), expected);
}

}  // namespace
}  // namespace bellows::proxy
