// Time limits of a request: each ends it with the correct status or a reset.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

class TimeLimit : public testing::Test {
 protected:
  void ask() {
    caller_ = world_.caller();
    ASSERT_TRUE(caller_.say(kGet));
    app_ = world_.accept();
    ASSERT_TRUE(world_.hears(app_, kGet));
  }
  void expect_504() {
    ASSERT_TRUE(world_.until([&] {
      caller_.listen();
      return !caller_.received().empty();
    }));
    EXPECT_EQ(status_line(caller_), "HTTP/1.1 504 Gateway Timeout");
    EXPECT_TRUE(world_.hears_end(app_));
    EXPECT_TRUE(world_.is_at_rest());
  }
  void expect_reset() {
    ASSERT_TRUE(world_.hears_end(caller_));
    EXPECT_TRUE(caller_.was_reset());
    EXPECT_TRUE(world_.hears_end(app_));
    EXPECT_TRUE(world_.is_at_rest());
  }
  void begin_answer(const std::string& answer) {
    ASSERT_TRUE(app_.say(answer));
    ASSERT_TRUE(world_.until([&] {
      caller_.listen();
      return !caller_.received().empty();
    }));
  }

  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
};

TEST_F(TimeLimit, TotalBeforeTheResponseIs504) {
  world_.handler.options.limits.total = seconds(10);
  ask();
  world_.pass(milliseconds(9900));
  EXPECT_EQ(world_.server.counters().in_flight, 1);
  world_.pass(milliseconds(200));
  expect_504();
}

TEST_F(TimeLimit, TotalInTheResponseResetsTheCaller) {
  world_.handler.options.limits.total = seconds(10);
  ask();
  begin_answer("HTTP/1.1 200 OK\r\n\r\npart");
  world_.pass(milliseconds(10'100));
  expect_reset();
}

TEST_F(TimeLimit, ResponseStartEndsWithTheHead) {
  world_.handler.options.limits.response_start = seconds(3);
  ask();
  begin_answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
  world_.pass(seconds(60));
  ASSERT_TRUE(app_.say("ok"));
  EXPECT_TRUE(world_.hears(caller_, kOk));
}

TEST_F(TimeLimit, ResponseStartIs504) {
  world_.handler.options.limits.response_start = seconds(3);
  ask();
  world_.pass(milliseconds(3100));
  expect_504();
}

TEST_F(TimeLimit, IdleCountsBothDirections) {
  world_.handler.options.limits.idle = milliseconds(500);
  caller_ = world_.caller();
  ASSERT_TRUE(caller_.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"));
  app_ = world_.accept();
  for (int i = 0; i < 5; ++i) {
    const std::size_t received = app_.received().size();
    ASSERT_TRUE(caller_.say("x"));
    ASSERT_TRUE(world_.until([&] {
      app_.listen();
      return app_.received().size() > received;
    }));
    world_.pass(milliseconds(450));
  }
  EXPECT_EQ(world_.server.counters().in_flight, 1) << "an upload is activity";
  world_.pass(milliseconds(600));
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return !caller_.received().empty();
  }));
  EXPECT_EQ(status_line(caller_), "HTTP/1.1 408 Request Timeout");
}

TEST_F(TimeLimit, ATunnelIsBoundedByIdleAlone) {
  world_.handler.options.limits = {
      .total = seconds(1), .response_start = seconds(1), .idle = seconds(30)};
  caller_ = world_.caller();
  ASSERT_TRUE(caller_.say(
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"));
  app_ = world_.accept();
  begin_answer("HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n");
  world_.pass(seconds(20));
  ASSERT_TRUE(caller_.say("ping"));
  ASSERT_TRUE(world_.until([&] {
    app_.listen();
    return app_.received().ends_with("ping");
  }));
  world_.pass(seconds(20));
  EXPECT_EQ(world_.server.counters().in_flight, 1);
  world_.pass(seconds(31));
  expect_reset();
  EXPECT_EQ(world_.handler.errors.at(0).message(), "nothing moved within the idle time limit");
}

TEST_F(TimeLimit, AHeadThatTricklesIs408) {
  caller_ = world_.caller();
  ASSERT_TRUE(caller_.say("GET / HTTP/1.1\r\n"));
  ASSERT_TRUE(world_.until([&] { return world_.reactor.buffers().borrowed() == 1; }));
  world_.pass(seconds(59));
  ASSERT_TRUE(caller_.say("X"));
  world_.io.poll();
  world_.pass(seconds(2));
  ASSERT_TRUE(world_.hears_end(caller_));
  EXPECT_EQ(status_line(caller_), "HTTP/1.1 408 Request Timeout");
}

TEST_F(TimeLimit, AnIdleConnectionIsClosedWithoutAResponse) {
  caller_ = world_.caller();
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().open_connections == 1; }));
  world_.pass(seconds(181));
  ASSERT_TRUE(world_.hears_end(caller_));
  EXPECT_EQ(caller_.received(), "");
}

}  // namespace
}  // namespace bellows::proxy
