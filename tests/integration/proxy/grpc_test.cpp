// Calls by gRPC: replies of Bellows itself are gRPC statuses, deadlines of callers hold everywhere.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::seconds;
using test::TestPeer;

const std::string kCall =
    "POST /a.B/C HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nContent-Length: 5\r\n"
    "grpc-timeout: 3S\r\n\r\n12345";

bool has(const TestPeer& peer, std::string_view text) {
  return peer.received().find(text) != std::string::npos;
}

class Call : public testing::Test {
 protected:
  explicit Call(Peer upstream = Peer::kOutside,
                BreakerLimits limits = {.slots = 1, .queue = {.count = 1}})
      : world_(limits) {
    world_.handler.options.downstream = Peer::kOutside;
    world_.handler.options.upstream = upstream;
  }
  TestPeer call() {
    TestPeer caller = world_.caller();
    EXPECT_TRUE(caller.say(kCall));
    return caller;
  }
  bool hears_reply(TestPeer& caller) {
    return world_.until([&] {
      caller.listen();
      return caller.received().ends_with("\r\n\r\n");
    });
  }

  ProxyWorld world_;
};

TEST_F(Call, AtAFullQueueIsUnavailableWithTheReasonAndAPushBack) {
  TestPeer first = call();
  TestPeer app = world_.accept();
  TestPeer second = call();
  ASSERT_TRUE(world_.until([&] { return world_.handler.limiter.breaker().waiting() == 1; }));
  TestPeer third = call();
  ASSERT_TRUE(hears_reply(third));
  EXPECT_EQ(status_line(third), "HTTP/1.1 200 OK");
  EXPECT_TRUE(has(third, "Content-Type: application/grpc\r\ngrpc-status: 14\r\n"));
  EXPECT_TRUE(has(third, "grpc-message: app: its queue is full: 1 request waits, queue-depth is"));
  EXPECT_TRUE(has(third, "grpc-retry-pushback-ms: 60000\r\nContent-Length: 0\r\n"));
  EXPECT_TRUE(has(third, "X-Bellows-Reason: overloaded\r\n"));
  ASSERT_EQ(world_.outcomes.size(), 1U);
  EXPECT_EQ(world_.outcomes[0].status, 503) << "metrics count it as what it is";
  EXPECT_EQ(world_.outcomes[0].grpc_status, 14);
}

TEST_F(Call, ThatWaitsInTheQueueEndsAtItsDeadline) {
  TestPeer first = world_.caller();
  ASSERT_TRUE(first.say(kGet));
  TestPeer app = world_.accept();
  TestPeer second = call();
  ASSERT_TRUE(world_.until([&] { return world_.handler.limiter.breaker().waiting() == 1; }));
  world_.pass(seconds(2));
  world_.io.poll();
  EXPECT_EQ(world_.handler.limiter.breaker().waiting(), 1);
  world_.pass(seconds(1) + std::chrono::milliseconds(100));
  ASSERT_TRUE(hears_reply(second));
  EXPECT_TRUE(has(second, "grpc-status: 4\r\n")) << second.received();
  EXPECT_TRUE(has(second, "app: it got no slot before its deadline (grpc-timeout)"));
  EXPECT_EQ(world_.handler.limiter.breaker().waiting(), 0);
}

TEST_F(Call, ToAnAppThatClosesIsUnavailable) {
  TestPeer caller = call();
  TestPeer app = world_.accept();
  ASSERT_TRUE(world_.until([&] {
    app.listen();
    return app.received().ends_with("12345");
  }));
  app.close();
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_TRUE(has(caller, "grpc-status: 14\r\n")) << caller.received();
}

TEST_F(Call, ThatTheAppAnswersWithoutMessagesHasItsStatusInTheLog) {
  TestPeer caller = call();
  TestPeer app = world_.accept();
  ASSERT_TRUE(
      app.say("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\ngrpc-status: 5\r\n"
              "Content-Length: 0\r\n\r\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_TRUE(has(caller, "grpc-status: 5\r\n"));
  ASSERT_EQ(world_.outcomes.size(), 1U);
  EXPECT_EQ(world_.outcomes[0].status, 200);
  EXPECT_EQ(world_.outcomes[0].grpc_status, 5);
}

TEST_F(Call, ThatTheAppAnswersWithMessagesHasTheStatusOfItsTrailersInTheLog) {
  TestPeer caller = call();
  TestPeer app = world_.accept();
  ASSERT_TRUE(
      app.say("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\n"
              "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"));
  ASSERT_TRUE(app.say("0\r\ngrpc-message: gone\r\ngrpc-status: 5\r\n\r\n"));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.outcomes[0].status, 200);
  EXPECT_EQ(world_.outcomes[0].grpc_status, 5);
}

TEST_F(Call, WithAMalformedBodyIsInternal) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(
      caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
                 "Transfer-Encoding: chunked\r\n\r\nfive\r\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_TRUE(has(caller, "grpc-status: 13\r\n")) << caller.received();
}

TEST_F(Call, WithAMalformedHeadIsInternal) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nX-A : b\r\n\r\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_TRUE(has(caller, "grpc-status: 13\r\n")) << caller.received();
}

class CallOfAnInnerHop : public Call {
 protected:
  CallOfAnInnerHop() : Call(Peer::kInside) {}
};

TEST_F(CallOfAnInnerHop, HasItsReplyTranslatedAtTheOutermostPort) {
  TestPeer caller = call();
  TestPeer replica = world_.accept();
  ASSERT_TRUE(
      replica.say("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n"
                  "Content-Length: 11\r\nX-Bellows-Reason: overloaded\r\n"
                  "X-Bellows-In-Flight: 3\r\nRetry-After: 2\r\nX-Request-Id: r1\r\n\r\n"
                  "it is full\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 200 OK");
  EXPECT_TRUE(has(caller, "grpc-status: 14\r\ngrpc-message: it is full\r\n")) << caller.received();
  EXPECT_TRUE(has(caller, "grpc-retry-pushback-ms: 2000\r\n"));
  EXPECT_TRUE(has(caller, "X-Request-Id: r1\r\n"));
  EXPECT_FALSE(has(caller, "X-Bellows-In-Flight"));
  ASSERT_EQ(world_.outcomes.size(), 1U);
  EXPECT_EQ(world_.outcomes[0].status, 503);
  EXPECT_EQ(world_.outcomes[0].grpc_status, 14);
  EXPECT_EQ(world_.handler.pool.idle(), 1U) << "the whole reply had arrived";
}

TEST_F(CallOfAnInnerHop, WhoseTextComesLateIsToldWithoutIt) {
  TestPeer caller = call();
  TestPeer replica = world_.accept();
  ASSERT_TRUE(
      replica.say("HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 11\r\n"
                  "X-Bellows-Reason: timeout\r\n\r\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_TRUE(has(caller, "grpc-status: 4\r\ngrpc-message: Gateway Timeout\r\n"))
      << caller.received();
  EXPECT_EQ(world_.handler.pool.idle(), 0U);
}

TEST_F(CallOfAnInnerHop, OfAnAppIsRelayedAsItIs) {
  TestPeer caller = call();
  TestPeer replica = world_.accept();
  ASSERT_TRUE(replica.say("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"));
  ASSERT_TRUE(hears_reply(caller));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 503 Service Unavailable");
}

}  // namespace
}  // namespace bellows::proxy
