// The end of a server: who still gets an answer.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

const std::string kLastOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// A server that was told to stop within 30 s while a head was coming.
class StopTest : public testing::Test {
 protected:
  StopTest() {
    caller_ = world_.caller();
    EXPECT_TRUE(caller_.say(kGet));
    app_ = world_.accept();
    EXPECT_TRUE(app_.say(kOk));
    EXPECT_TRUE(world_.hears(caller_, kOk));
    caller_.take_heard();
    app_.listen();
    app_.take_heard();
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

TEST_F(StopTest, AHeadThatComesWithinHalfASecondHasTheWholeTime) {
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
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_FALSE(caller_.was_reset());
}

TEST_F(StopTest, AHeadThatDoesNotComeHoldsItUpForHalfASecond) {
  world_.pass(milliseconds(600));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
}

TEST_F(StopTest, AnswersThatAreLateAreCutAtTheDeadline) {
  ASSERT_TRUE(caller_.say(": a\r\n\r\n"));
  ASSERT_TRUE(world_.hears(app_, kGet));
  world_.pass(seconds(31));
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_TRUE(caller_.was_reset());
}

}  // namespace
}  // namespace bellows::proxy
