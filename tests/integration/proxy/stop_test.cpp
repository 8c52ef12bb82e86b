// The end of a server: which requests still get a response.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

const std::string kLastOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// A server that is stopped within 30 s while a head arrives.
class StopTest : public testing::Test {
 protected:
  StopTest() {
    caller_ = world_.caller();
    EXPECT_TRUE(caller_.say(kGet));
    app_ = world_.accept();
    EXPECT_TRUE(app_.say(kOk));
    EXPECT_TRUE(world_.hears(caller_, kOk));
    caller_.take_received();
    app_.listen();
    app_.take_received();
    EXPECT_TRUE(caller_.say("GET /a HTTP/1.1\r\nHost"));
    http::net::co_spawn(world_.io, world_.server.stop(world_.clock.now() + seconds(30)),
                        [this](const std::exception_ptr&) { is_done_ = true; });
    world_.io.poll();
  }

  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
  bool is_done_ = false;
};

TEST_F(StopTest, ARequestWhoseHeadArrivesWithinHalfASecondHasTheWholeTime) {
  world_.pass(milliseconds(400));
  world_.io.poll();
  ASSERT_FALSE(is_done_);
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  world_.pass(seconds(20));
  world_.io.poll();
  ASSERT_FALSE(is_done_);
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(caller_, kLastOk));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_FALSE(caller_.was_reset());
  caller_.close();
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
}

TEST_F(StopTest, ACallerThatDoesNotCloseDelaysItByHalfASecond) {
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(caller_, kLastOk));
  world_.pass(milliseconds(600));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
}

TEST_F(StopTest, AHeadThatDoesNotArriveDelaysItByHalfASecond) {
  world_.pass(milliseconds(600));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
}

TEST_F(StopTest, RequestsWithoutAResponseAtTheDeadlineAreRejected) {
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  world_.pass(seconds(31));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_FALSE(caller_.was_reset());
  EXPECT_EQ(status_line(caller_), "HTTP/1.1 503 Service Unavailable");
  EXPECT_TRUE(caller_.received().ends_with("server: stopped before the request was complete\n"));
  EXPECT_EQ(world_.outcomes.at(1).error, ErrorKind::kCancelled);
  EXPECT_EQ(world_.server.counters().stopped, 1U);
}

// A retry would be one more request for an app while Bellows stops.
TEST_F(StopTest, RequestsStoppedByTheDeadlineAreNotRetriedElsewhere) {
  world_.handler.tries = 2;
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  const int connects = world_.sockets.connects;
  world_.pass(seconds(31));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_EQ(status_line(caller_), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(world_.sockets.connects, connects);
}

TEST_F(StopTest, ResponsesThatHaveNotEndedAtTheDeadlineAreAborted) {
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  ASSERT_TRUE(app_.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\npart"));
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return caller_.received().ends_with("part");
  }));
  world_.pass(seconds(31));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_TRUE(caller_.was_reset());
  const Outcome& outcome = world_.outcomes.at(1);
  EXPECT_TRUE(outcome.aborted_by && outcome.error);
  EXPECT_EQ(outcome.aborted_by, AbortedBy::kLocal);
  EXPECT_EQ(outcome.error, ErrorKind::kCancelled);
  EXPECT_EQ(outcome.response_bytes, 4U);
  EXPECT_EQ(world_.server.counters().stopped, 1U);
}

TEST(Stop, AConnectionThatWasNotAcceptedYetIsServed) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  bool is_done = false;
  http::net::co_spawn(world.io, world.server.stop(world.clock.now() + seconds(30)),
                      [&](const std::exception_ptr&) { is_done = true; });
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(caller, kLastOk));
  caller.close();
  EXPECT_TRUE(world.until([&] { return is_done; }));
}

/// Two connections when the server is stopped.
TEST(Stop, ANewConnectionMaySendARequest) {
  ProxyWorld world;
  const TestPeer silent = world.caller();
  ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 1; }));
  world.pass(seconds(1));
  TestPeer just_come = world.caller();
  ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 2; }));
  bool is_done = false;
  http::net::co_spawn(world.io, world.server.stop(world.clock.now() + seconds(30)),
                      [&](const std::exception_ptr&) { is_done = true; });
  ASSERT_TRUE(world.until([&] { return world.server.counters().open_connections == 1; }))
      << "who said nothing for a second is not waited for";
  world.pass(milliseconds(400));
  ASSERT_TRUE(just_come.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(just_come, kLastOk));
  just_come.close();
  EXPECT_TRUE(world.until([&] { return is_done; }));
}

TEST(Stop, ANewConnectionDoesNotDelayItAsLongAsOthersAreServed) {
  ProxyWorld world;
  TestPeer busy = world.caller();
  ASSERT_TRUE(busy.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  TestPeer just_come = world.caller();
  ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 2; }));
  bool is_done = false;
  http::net::co_spawn(world.io, world.server.stop(world.clock.now() + seconds(30)),
                      [&](const std::exception_ptr&) { is_done = true; });
  world.io.poll();
  world.pass(milliseconds(600));
  EXPECT_TRUE(world.hears_end(just_come));
  EXPECT_FALSE(is_done);
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(busy, kLastOk));
  busy.close();
  EXPECT_TRUE(world.until([&] { return is_done; }));
}

}  // namespace
}  // namespace bellows::proxy
