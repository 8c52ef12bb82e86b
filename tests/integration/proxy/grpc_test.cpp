// Calls by gRPC: replies of Bellows itself are gRPC statuses, deadlines of callers hold everywhere.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

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

TEST_F(Call, TheLogHasTheStatusOfTheTrailers) {
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

/// A call whose response has begun.
class BegunCall : public Call {
 protected:
  using Call::Call;
  const std::string kHead =
      "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n";

  void begin(const std::string& response) {
    world_.handler.options.limits.total = seconds(10);
    caller_ = world_.caller();
    ASSERT_TRUE(
        caller_.say("POST /a.B/C HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
                    "Content-Length: 5\r\n\r\n12345"));
    app_ = world_.accept();
    ASSERT_TRUE(app_.say(response));
    const std::string last = response.substr(response.size() - 1);
    ASSERT_TRUE(world_.until([&] {
      caller_.listen();
      return caller_.received().size() > 100 && caller_.received().ends_with(last);
    })) << response;
  }
  bool has_trailers(int status, const std::string& text, const std::string& reason) {
    const std::string end = "\r\n0\r\ngrpc-status: " + std::to_string(status) +
                            "\r\ngrpc-message: " + text + "\r\nX-Bellows-Reason: " + reason +
                            "\r\n\r\n";
    return world_.until([&] {
      caller_.listen();
      return caller_.has_ended() || caller_.received().find("X-Bellows-") != std::string::npos;
    }) && caller_.received().ends_with(end);
  }
  bool is_reset() { return world_.hears_end(caller_) && caller_.was_reset(); }

  TestPeer caller_;
  TestPeer app_;
};

/// A message of two bytes as a chunk.
const std::string kMessage = std::string("7\r\n\0\0\0\0\2ab\r\n", 12);

TEST_F(BegunCall, EndsWithTrailersAfterWholeMessagesAndWithAResetElsewhere) {
  struct Case {
    const char* what;
    std::string body;
    bool is_at_boundary;
  };
  const std::vector<Case> cases = {
      {"no message yet", "", true},
      {"a message", kMessage, true},
      {"two messages in one chunk", std::string("a\r\n\0\0\0\0\0\0\0\0\0\0\r\n", 15), true},
      {"a message in two chunks",
       std::string("3\r\n\0\0\0\r\n", 8) + std::string("4\r\n\0\2ab\r\n", 9), true},
      {"a chunk within a prefix", std::string("3\r\n\0\0\0\r\n", 8), false},
      {"a chunk within a message", std::string("6\r\n\0\0\0\0\2a\r\n", 11), false},
      {"a message within a chunk", std::string("8\r\n\0\0\0\0\2ab", 10), false},
      {"a chunk without its line end", kMessage.substr(0, kMessage.size() - 2), false},
      {"a size without its line", kMessage + "7", false},
      {"the last chunk without trailers", kMessage + "0\r\n", false},
  };
  for (const Case& row : cases) {
    begin(kHead + row.body);
    app_.close();
    if (row.is_at_boundary) {
      EXPECT_TRUE(has_trailers(14, "app: closed in the middle of its response", "reset"))
          << row.what << ": " << caller_.received();
    } else {
      EXPECT_TRUE(is_reset()) << row.what;
    }
    ASSERT_TRUE(world_.is_at_rest()) << row.what;
    EXPECT_EQ(world_.outcomes.back().error, ErrorKind::kReset) << row.what;
    EXPECT_EQ(world_.outcomes.back().aborted_by, AbortedBy::kUpstream) << row.what;
    EXPECT_EQ(world_.outcomes.back().grpc_status,
              row.is_at_boundary ? std::optional(14) : std::nullopt)
        << row.what;
  }
}

TEST_F(BegunCall, KeepsItsConnection) {
  begin(kHead + kMessage);
  app_.reset();
  EXPECT_TRUE(has_trailers(14, "app: closed in the middle of its response", "reset"));
  caller_.take_received();
  ASSERT_TRUE(caller_.say(kGet));
  TestPeer app = world_.accept();
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world_.hears(caller_, kOk));
}

TEST_F(BegunCall, EndsAtATimeLimitAsItsDeadline) {
  begin(kHead + kMessage);
  world_.pass(seconds(11));
  EXPECT_TRUE(
      has_trailers(4, "app: the response took longer than the request's time limit", "timeout"))
      << caller_.received();
  EXPECT_TRUE(world_.hears_end(app_));
}

TEST_F(BegunCall, EndsWhenNothingMoves) {
  world_.handler.options.limits.idle = seconds(2);
  begin(kHead + kMessage);
  world_.pass(seconds(3));
  EXPECT_TRUE(has_trailers(4, "app: nothing moved within the idle time limit", "timeout"))
      << caller_.received();
}

TEST_F(BegunCall, EndsWithTheServer) {
  begin(kHead + kMessage);
  bool is_done = false;
  http::net::co_spawn(world_.io, world_.server.stop(world_.clock.now() + seconds(5)),
                      [&](const std::exception_ptr&) { is_done = true; });
  world_.io.poll();
  world_.pass(seconds(6));
  EXPECT_TRUE(has_trailers(14, "server: stopped before the request was complete", "cancelled"))
      << caller_.received();
  EXPECT_TRUE(world_.until([&] { return is_done; }));
  EXPECT_EQ(world_.outcomes.at(0).aborted_by, AbortedBy::kLocal);
  EXPECT_EQ(world_.server.counters().stopped, 1U);
}

TEST_F(BegunCall, WhoseResponseIsOfAnotherTypeIsReset) {
  begin("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" +
        kMessage);
  app_.close();
  EXPECT_TRUE(is_reset());
}

TEST_F(BegunCall, OfAKnownLengthIsReset) {
  begin("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nContent-Length: 14\r\n\r\n" +
        kMessage.substr(3, 7));
  app_.close();
  EXPECT_TRUE(is_reset());
}

TEST_F(BegunCall, GetsNoTrailersOfHopsFromAnApp) {
  begin(kHead + kMessage);
  ASSERT_TRUE(app_.say("0\r\ngrpc-status: 0\r\nX-Bellows-Reason: reset\r\n\r\n"));
  ASSERT_TRUE(hears_reply(caller_));
  EXPECT_TRUE(caller_.received().ends_with("0\r\ngrpc-status: 0\r\n\r\n"));
  EXPECT_EQ(world_.outcomes.at(0).error, std::nullopt);
}

class BegunCallOfAnInnerHop : public BegunCall {
 protected:
  BegunCallOfAnInnerHop() : BegunCall(Peer::kInside) {}
};

TEST_F(BegunCallOfAnInnerHop, ThatItEndedCountsAsIncomplete) {
  begin(kHead + kMessage);
  const std::string end =
      "0\r\ngrpc-status: 14\r\ngrpc-message: gone\r\nX-Bellows-Reason: reset\r\n\r\n";
  ASSERT_TRUE(app_.say(end));
  ASSERT_TRUE(hears_reply(caller_));
  EXPECT_TRUE(caller_.received().ends_with(kMessage + end)) << "callers see who ended it";
  ASSERT_EQ(world_.outcomes.size(), 1U);
  EXPECT_EQ(world_.outcomes[0].grpc_status, 14);
  EXPECT_EQ(world_.outcomes[0].error, ErrorKind::kReset);
  EXPECT_EQ(world_.outcomes[0].aborted_by, AbortedBy::kUpstream);
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
