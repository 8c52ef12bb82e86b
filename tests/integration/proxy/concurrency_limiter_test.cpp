// The concurrency limit of an upstream: waiting requests are served in order, or rejected with a
// reason.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

class Limit : public testing::Test {
 protected:
  Limit() : world_({.slots = 1, .queue = {.count = 2, .bytes = mebibytes(1), .age = seconds(10)}}) {
    first_ = world_.caller();
    EXPECT_TRUE(first_.say(kGet));
    app_ = world_.accept();
    EXPECT_TRUE(world_.hears(app_, kGet));
  }
  TestPeer queue_up(std::int64_t waiting) {
    TestPeer caller = world_.caller();
    EXPECT_TRUE(caller.say(kGet));
    EXPECT_TRUE(
        world_.until([&] { return world_.handler.limiter.breaker().waiting() == waiting; }));
    return caller;
  }

  ProxyWorld world_;
  TestPeer first_;
  TestPeer app_;
};

TEST_F(Limit, WaitingRequestsAreServedInOrder) {
  TestPeer second = queue_up(1);
  TestPeer third = queue_up(2);
  std::string asked = kGet;
  for (TestPeer* caller : {&first_, &second, &third}) {
    ASSERT_TRUE(app_.say(kOk));
    ASSERT_TRUE(world_.hears(*caller, kOk));
    if (caller != &third) {
      ASSERT_TRUE(world_.hears(app_, asked += kGet));
    }
  }
  EXPECT_TRUE(world_.is_at_rest());
}

TEST_F(Limit, AFullQueueIs503WithRetryAfter) {
  TestPeer second = queue_up(1);
  TestPeer third = queue_up(2);
  TestPeer fourth = world_.caller();
  ASSERT_TRUE(fourth.say(kGet));
  ASSERT_TRUE(world_.until([&] {
    fourth.listen();
    return !fourth.received().empty();
  }));
  EXPECT_EQ(status_line(fourth), "HTTP/1.1 503 Service Unavailable");
  EXPECT_NE(fourth.received().find("Retry-After: 60\r\n"), std::string::npos);
  EXPECT_NE(fourth.received().find("app: its queue is full: 2 requests wait, queue-depth is 2"),
            std::string::npos);
}

TEST_F(Limit, ARejectedHttp10CallerIsToldWhetherItsConnectionIsKept) {
  TestPeer second = queue_up(1);
  TestPeer third = queue_up(2);
  TestPeer asks_to_go_on = world_.caller();
  std::size_t received = 0;
  for (int refusal = 0; refusal < 2; ++refusal) {
    ASSERT_TRUE(asks_to_go_on.say("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    ASSERT_TRUE(world_.until([&] {
      asks_to_go_on.listen();
      return asks_to_go_on.received().find("queue-depth is 2\n", received) != std::string::npos;
    }));
    EXPECT_NE(asks_to_go_on.received().find("Connection: keep-alive\r\n", received),
              std::string::npos);
    received = asks_to_go_on.received().size();
  }
  EXPECT_FALSE(asks_to_go_on.has_ended());
  TestPeer does_not = world_.caller();
  ASSERT_TRUE(does_not.say("GET /a HTTP/1.0\r\n\r\n"));
  ASSERT_TRUE(world_.hears_end(does_not));
  EXPECT_NE(does_not.received().find("Connection: close\r\n"), std::string::npos);
}

TEST_F(Limit, ACallerThatHangsUpLeavesTheQueueAtOnceAndTakesNoSlot) {
  TestPeer second = queue_up(1);
  TestPeer third = queue_up(2);
  world_.pass(seconds(3));
  second.close();
  ASSERT_TRUE(world_.until([&] { return world_.handler.limiter.breaker().waiting() == 1; }));
  ASSERT_TRUE(app_.say(kOk));
  ASSERT_TRUE(world_.hears(app_, kGet + kGet));
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(third, kOk));
  EXPECT_TRUE(world_.is_at_rest());
  EXPECT_EQ(world_.outcomes.at(0).status, 0) << "nobody was there to be answered";
  EXPECT_EQ(world_.outcomes.at(0).error, ErrorKind::kCancelled);
  EXPECT_EQ(world_.outcomes.at(0).queued, seconds(3));
}

// Its end arrives with its request: no later event will show it.
TEST_F(Limit, ACallerThatLeftBeforeItsRequestWasReadIsNotEnqueued) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(kGet));
  caller.close();
  ASSERT_TRUE(world_.until([&] { return !world_.outcomes.empty(); }));
  EXPECT_EQ(world_.handler.limiter.breaker().waiting(), 0);
  EXPECT_EQ(world_.outcomes.at(0).status, 0);
  EXPECT_EQ(world_.outcomes.at(0).aborted_by, AbortedBy::kDownstream);
  ASSERT_TRUE(app_.say(kOk));
  EXPECT_TRUE(world_.hears(first_, kOk));
  EXPECT_TRUE(world_.is_at_rest());
}

// Where many wait, their heads are moved to memory of their size. Their bodies and the requests
// behind them (pipelining) move along; forms of a target have views of their own.
TEST(ManyHeldRequests, KeepNoBlockEachAndAreServedWholeAndInOrder) {
  constexpr std::size_t kHeld = 2 * http::BufferPool::kMaxWarmHeads;
  ProxyWorld world(
      {.slots = 1, .queue = {.count = kHeld, .bytes = mebibytes(4), .age = seconds(10)}});
  const auto waiting = [&] {
    return static_cast<std::size_t>(world.handler.limiter.breaker().waiting());
  };
  TestPeer first = world.caller();
  ASSERT_TRUE(first.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  const std::string absolute = "GET http://b?x HTTP/1.1\r\nHost: a\r\nA: 1\r\n\r\n";
  const std::string forwarded = "GET /?x HTTP/1.1\r\nHost: b\r\nA: 1\r\n\r\n";
  std::vector<TestPeer> callers;
  for (std::size_t held = 1; held <= kHeld; ++held) {
    callers.push_back(world.caller());
    ASSERT_TRUE(callers.back().say(held % 2 == 0 ? kPost + kGet : absolute));
    ASSERT_TRUE(world.until([&] { return waiting() == held; }));
  }
  EXPECT_LE(world.reactor.buffers().borrowed_heads(), http::BufferPool::kMaxWarmHeads + 1);
  EXPECT_EQ(world.reactor.buffers().borrowed(), kHeld + 1);
  std::string asked = kGet;
  for (std::size_t turn = 1; turn <= kHeld; ++turn) {
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears(app, asked += turn % 2 == 0 ? kPost : forwarded)) << turn;
  }
  for (std::size_t second = 1; second <= kHeld / 2; ++second) {
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears(app, asked += kGet)) << second;
  }
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.is_at_rest());
}

// A burst that was served without new requests meanwhile shows how fast slots become free.
TEST_F(Limit, TheRetryAfterUsesTheRateOfAnEarlierBurst) {
  TestPeer second = queue_up(1);
  TestPeer third = queue_up(2);
  std::string asked = kGet;
  for (TestPeer* caller : {&first_, &second, &third}) {
    world_.pass(milliseconds(500));
    ASSERT_TRUE(app_.say(kOk));
    ASSERT_TRUE(world_.hears(*caller, kOk));
    if (caller != &third) {
      ASSERT_TRUE(world_.hears(app_, asked += kGet));
    }
  }
  world_.pass(seconds(30));
  ASSERT_TRUE(first_.say(kGet));
  ASSERT_TRUE(world_.hears(app_, asked += kGet));
  TestPeer fifth = queue_up(1);
  TestPeer sixth = queue_up(2);
  TestPeer refused = world_.caller();
  ASSERT_TRUE(refused.say(kGet));
  ASSERT_TRUE(world_.until([&] {
    refused.listen();
    return !refused.received().empty();
  }));
  EXPECT_NE(refused.received().find("Retry-After: 1\r\n"), std::string::npos) << refused.received();
}

TEST_F(Limit, ARequestThatWaitsTooLongIs503) {
  TestPeer second = queue_up(1);
  world_.pass(milliseconds(10'100));
  ASSERT_TRUE(world_.until([&] {
    second.listen();
    return !second.received().empty();
  }));
  EXPECT_EQ(status_line(second), "HTTP/1.1 503 Service Unavailable");
  EXPECT_NE(second.received().find("X-Bellows-Reason: timeout"), std::string::npos);
  EXPECT_TRUE(second.received().ends_with("app: it got no slot within 10s (queue-age)\n"));
  EXPECT_EQ(world_.handler.limiter.breaker().waiting(), 0);
}

TEST(BytesOfAQueue, ArePagesInUseSoThatTheCountBoundsSmallRequests) {
  // Nothing runs; ten pages of 4 KiB may be queued, and a hundred requests.
  ProxyWorld world({.slots = 0, .queue = {.count = 100, .bytes = kibibytes(40)}});
  std::vector<TestPeer> callers;
  for (std::int64_t waiting = 1; waiting <= 10; ++waiting) {
    ASSERT_TRUE(callers.emplace_back(world.caller()).say(kGet));
    ASSERT_TRUE(world.until([&] {
      return !world.outcomes.empty() || world.handler.limiter.breaker().waiting() == waiting;
    }));
  }
  EXPECT_TRUE(world.outcomes.empty());
  TestPeer eleventh = world.caller();
  ASSERT_TRUE(eleventh.say(kGet));
  ASSERT_TRUE(world.until([&] {
    eleventh.listen();
    return !eleventh.received().empty();
  }));
  EXPECT_EQ(status_line(eleventh), "HTTP/1.1 503 Service Unavailable");
  EXPECT_TRUE(eleventh.received().ends_with(
      "app: its queue is full: 10 requests wait and hold 40Ki, queue-bytes is 40Ki\n"));
}

TEST(BytesOfAQueue, CountEveryPageOfALargerRequest) {
  ProxyWorld world({.slots = 0, .queue = {.count = 100, .bytes = kibibytes(40)}});
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" +
                         std::string(5000, 'x')));
  ASSERT_TRUE(world.until([&] { return world.handler.limiter.breaker().waiting() == 1; }));
  EXPECT_EQ(world.handler.limiter.breaker().queue().bytes(), 8U * 1024);
}

/// A queue with a maximum age of ten seconds, and requests that have less or more time.
std::string answer_to_who_waits(Duration total) {
  ProxyWorld world({.slots = 0, .queue = {.count = 2, .bytes = mebibytes(1), .age = seconds(10)}},
                   full_detail(), total);
  TestPeer caller = world.caller();
  EXPECT_TRUE(caller.say(kGet));
  EXPECT_TRUE(world.until([&] { return world.handler.limiter.breaker().waiting() == 1; }));
  world.pass(std::min<Duration>(total, seconds(10)) - milliseconds(100));
  EXPECT_EQ(world.handler.limiter.breaker().waiting(), 1);
  world.pass(milliseconds(200));
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_EQ(world.outcomes.at(0).upstream_tries, 0);
  return status_line(caller) + ", " +
         caller.received().substr(caller.received().find("\r\n\r\n") + 4);
}

TEST(RequestTimeOut, ThatEndsInTheQueueIs504AndALongerOneLeavesItToTheQueue) {
  EXPECT_EQ(answer_to_who_waits(seconds(2)),
            "HTTP/1.1 504 Gateway Timeout, app: it got no slot within 2s (revision-timeout)\n");
  EXPECT_EQ(answer_to_who_waits(seconds(20)),
            "HTTP/1.1 503 Service Unavailable, app: it got no slot within 10s (queue-age)\n");
}

TEST(RequestTimeOut, ThatEndsBeforeTheRequestIsSentSendsNothing) {
  ProxyWorld world({.slots = 1, .queue = {.count = 2, .bytes = mebibytes(1), .age = seconds(10)}});
  world.handler.options.limits.total = seconds(2);
  Slot running = world.handler.limiter.try_acquire(world.clock.now());
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.until([&] { return world.handler.limiter.breaker().waiting() == 1; }));
  world.pass(milliseconds(2001));
  running.release();
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 504 Gateway Timeout");
  EXPECT_NE(caller.received().find("app: the request's time limit ended before it was sent"),
            std::string::npos);
  EXPECT_EQ(world.outcomes.at(0).upstream_tries, 0);
}

}  // namespace
}  // namespace bellows::proxy
