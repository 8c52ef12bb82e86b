// At the limit of connections: the one without a request for the longest makes room.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

class ConnectionLimit : public testing::Test {
 protected:
  ConnectionLimit() : world_(limits(), {.max_connections = 4}) {}

  static BreakerLimits limits() { return {.slots = 100, .queue = {.count = 100}}; }

  TestPeer silent_one() {
    TestPeer caller = world_.caller();
    const std::uint64_t before = world_.server.counters().connections;
    EXPECT_TRUE(world_.until([&] { return world_.server.counters().connections > before; }));
    return caller;
  }
  void serve(TestPeer& caller) {
    ASSERT_TRUE(caller.say(kGet));
    if (!app_.is_open()) app_ = world_.accept();
    ASSERT_TRUE(app_hears_request());
    ASSERT_TRUE(app_.say(kOk));
    ASSERT_TRUE(world_.hears(caller, kOk));
    caller.take_received();
  }
  std::vector<TestPeer> four_served() {
    std::vector<TestPeer> callers;
    for (int i = 0; i < 4; ++i) {
      callers.push_back(world_.caller());
      serve(callers.back());
    }
    return callers;
  }
  bool app_hears_request() {
    const bool has_come = world_.until([&] {
      app_.listen();
      return app_.received().ends_with("\r\n\r\n");
    });
    app_.take_received();
    return has_come;
  }
  bool is_open(TestPeer& caller) {
    for (int turn = 0; turn < 10; ++turn) world_.io.poll();
    caller.listen();
    return !caller.has_ended();
  }

  ProxyWorld world_;
  TestPeer app_;
};

TEST_F(ConnectionLimit, SilentConnectionsGiveWayToCallersOldestFirst) {
  std::vector<TestPeer> silent;
  for (int i = 0; i < 4; ++i) {
    silent.push_back(silent_one());
    world_.pass(milliseconds(10));
  }
  world_.pass(milliseconds(300));
  TestPeer caller = world_.caller();
  serve(caller);
  EXPECT_TRUE(world_.hears_end(silent[0]));
  EXPECT_FALSE(silent[0].was_reset()) << "it ends as an idle connection does";
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(is_open(silent[static_cast<std::size_t>(i)])) << i;
  EXPECT_EQ(world_.server.counters().replaced_connections, 1U);
  EXPECT_EQ(world_.server.counters().open_connections, 4);
}

TEST_F(ConnectionLimit, ANewConnectionIsKeptForItsFirstRequest) {
  std::vector<TestPeer> callers;
  for (int i = 0; i < 4; ++i) callers.push_back(silent_one());
  TestPeer fifth = world_.caller();
  world_.pass(milliseconds(200));
  for (int turn = 0; turn < 50; ++turn) world_.io.poll();
  EXPECT_EQ(world_.server.counters().replaced_connections, 0U) << "it waits in the backlog";
  for (TestPeer& caller : callers) EXPECT_TRUE(is_open(caller));
  world_.pass(milliseconds(200));
  EXPECT_TRUE(world_.hears_end(callers[0]));
}

TEST_F(ConnectionLimit, AHundredCallersPassByAWallOfSilentOnes) {
  std::vector<TestPeer> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(silent_one());
  for (int i = 0; i < 100; ++i) {
    world_.pass(milliseconds(300));
    TestPeer caller = world_.caller();
    serve(caller);
    silent.push_back(silent_one());
  }
  EXPECT_LE(world_.server.counters().open_connections, 5);
}

TEST_F(ConnectionLimit, AHeadThatTricklesIsNoRequest) {
  std::vector<TestPeer> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(silent_one());
    ASSERT_TRUE(slow.back().say("GET / HT"));
  }
  ASSERT_TRUE(world_.until([&] { return world_.reactor.buffers().borrowed() == 4; }));
  world_.pass(milliseconds(300));
  TestPeer caller = world_.caller();
  serve(caller);
  EXPECT_TRUE(world_.hears_end(slow[0]));
}

TEST_F(ConnectionLimit, AConnectionInUseIsKeptForASecondAfterItsResponse) {
  std::vector<TestPeer> callers = four_served();
  TestPeer late = world_.caller();
  ASSERT_TRUE(late.say(kGet));
  for (int turn = 0; turn < 50; ++turn) world_.io.poll();
  EXPECT_EQ(world_.server.counters().connections, 4U) << "it waits in the backlog";
  world_.pass(milliseconds(1100));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().connections == 5; }));
  EXPECT_TRUE(world_.hears_end(callers[0])) << "the longest idle";
  EXPECT_TRUE(is_open(callers[3]));
}

TEST_F(ConnectionLimit, WhoNeverStopsAskingGivesWayAfterAResponse) {
  std::vector<TestPeer> callers = four_served();
  TestPeer late = world_.caller();
  ASSERT_TRUE(late.say(kGet));
  ASSERT_TRUE(callers[2].say(kGet));
  ASSERT_TRUE(app_hears_request());
  world_.pass(milliseconds(100));
  ASSERT_TRUE(app_.say(kOk));
  ASSERT_TRUE(world_.hears_end(callers[2]));
  EXPECT_NE(callers[2].received().find("Connection: close\r\n"), std::string::npos);
  callers[2].close();
  ASSERT_TRUE(app_hears_request());
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(late, kOk));
  serve(callers[1]);
  EXPECT_TRUE(is_open(callers[1])) << "nobody waits any more";
}

TEST_F(ConnectionLimit, RequestsInFlightAreNeverGivenUp) {
  std::vector<TestPeer> callers;
  std::vector<TestPeer> apps;
  for (int i = 0; i < 4; ++i) {
    callers.push_back(world_.caller());
    ASSERT_TRUE(callers.back().say(kGet));
    apps.push_back(world_.accept());
  }
  TestPeer late = world_.caller();
  ASSERT_TRUE(late.say(kGet));
  world_.pass(seconds(30));
  for (int turn = 0; turn < 50; ++turn) world_.io.poll();
  EXPECT_EQ(world_.server.counters().connections, 4U);
  callers[2].close();
  EXPECT_TRUE(world_.until([&] { return world_.server.counters().connections == 5; }));
  EXPECT_EQ(world_.server.counters().replaced_connections, 0U);
}

TEST_F(ConnectionLimit, AJustArrivedRequestIsServedInsteadOfAnother) {
  std::vector<TestPeer> callers;
  for (int i = 0; i < 4; ++i) callers.push_back(silent_one());
  world_.pass(milliseconds(300));
  // Both arrive before the proxy looks at its sockets again.
  ASSERT_TRUE(callers[0].say(kGet));
  TestPeer late = world_.caller();
  app_ = world_.accept();
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(callers[0], kOk));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().connections == 5; }));
  EXPECT_TRUE(world_.hears_end(callers[1]));
}

TEST(ConnectionLimitOfAClient, FurtherConnectionsAreClosedUntilOneEnds) {
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, {.max_client_connections = 2});
  TestPeer first = world.caller();
  TestPeer second = world.caller();
  TestPeer third = world.caller();
  EXPECT_TRUE(world.hears_end(third));
  EXPECT_EQ(world.server.counters().refused_connections, 1U);
  EXPECT_EQ(world.server.counters().open_connections, 2);
  first.close();
  ASSERT_TRUE(world.until([&] { return world.server.counters().open_connections == 1; }));
  TestPeer fourth = world.caller();
  EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 2; }));
  EXPECT_EQ(world.server.counters().refused_connections, 1U);
}

}  // namespace
}  // namespace bellows::proxy
