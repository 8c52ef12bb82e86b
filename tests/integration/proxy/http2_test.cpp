// Connections of HTTP/2 in the lists, limits and counters of the server; requests that upstreams of
// HTTP/2 did not process.
#include <gtest/gtest.h>

#include "http/h2/core/preface.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

constexpr int kHeaders = 1;
constexpr int kReset = 3;
constexpr int kSettings = 4;
constexpr int kGoAway = 7;
constexpr int kEndStreamAndHeaders = 5;

std::string frame(int type, int flags, int stream, std::string_view payload = "") {
  std::string text(9, '\0');
  text[2] = static_cast<char>(payload.size());
  text[3] = static_cast<char>(type);
  text[4] = static_cast<char>(flags);
  text[8] = static_cast<char>(stream);
  return text += payload;
}

const std::string kHello = std::string(http2::kPreface) + frame(kSettings, 0, 0);

/// GET / of host a.
std::string get_frame(int stream) {
  return frame(kHeaders, kEndStreamAndHeaders, stream, std::string("\x82\x86\x84\x41\x01") + "a");
}

/// How many frames of the type the peer has received. `skip`: bytes before the first frame.
int frames(const TestPeer& peer, int type, std::size_t skip = 0) {
  const std::string& text = peer.received();
  int count = 0;
  for (std::size_t at = skip; at + 9 <= text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    if (byte(3) == type && !(type == kSettings && byte(4) != 0)) ++count;
    at += 9U + byte(0) * 65536U + byte(1) * 256U + byte(2);
  }
  return count;
}

bool hears_frames(ProxyWorld& world, TestPeer& peer, int type, int count, std::size_t skip = 0) {
  return world.until([&] {
    peer.listen();
    return frames(peer, type, skip) >= count;
  });
}

bool answers(ProxyWorld& world, TestPeer& app) {
  return world.until([&] {
    app.listen();
    return app.received().ends_with("\r\n\r\n");
  }) && app.say(kOk);
}

TEST(Http2Caller, IsOneConnectionAndEachOfItsStreamsARequest) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kHello + get_frame(1) + get_frame(3)));
  TestPeer first = world.accept();
  TestPeer second = world.accept();
  EXPECT_EQ(world.server.counters().in_flight, 2);
  EXPECT_EQ(world.server.counters().requests, 2U);
  EXPECT_EQ(world.server.counters().open_connections, 1);
  EXPECT_EQ(world.server.connections(), 1U);
  ASSERT_TRUE(answers(world, first));
  ASSERT_TRUE(answers(world, second));
  ASSERT_TRUE(hears_frames(world, caller, kHeaders, 2));
  EXPECT_TRUE(world.is_at_rest());
  EXPECT_EQ(world.server.counters().open_connections, 1);
  EXPECT_EQ(world.server.counters().connections, 1U);
  caller.close();
  EXPECT_TRUE(world.until([&] { return world.server.connections() == 0; }));
}

TEST(Http2Caller, ThatResetsAStreamCancelsItsRequestAlone) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kHello + get_frame(1) + get_frame(3)));
  TestPeer first = world.accept();
  TestPeer second = world.accept();
  ASSERT_TRUE(caller.say(frame(kReset, 0, 1, std::string("\0\0\0\x08", 4))));
  ASSERT_TRUE(world.until([&] { return world.server.counters().in_flight == 1; }));
  ASSERT_EQ(world.outcomes.size(), 1U);
  EXPECT_EQ(world.outcomes[0].aborted_by, AbortedBy::kDownstream);
  EXPECT_TRUE(world.until([&] {
    first.listen();
    second.listen();
    return first.has_ended() != second.has_ended();
  })) << "the app hears it on one connection";
}

TEST(Http2Caller, WithoutAStreamGivesWayAtTheLimitOfConnections) {
  ProxyServerOptions options = full_detail();
  options.max_connections = 1;
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kHello + get_frame(1)));
  TestPeer app = world.accept();
  TestPeer waiting = world.caller();
  ASSERT_TRUE(waiting.say(kGet));
  world.pass(seconds(5));
  EXPECT_EQ(world.server.connections(), 1U) << "its stream has a request";
  ASSERT_TRUE(answers(world, app));
  ASSERT_TRUE(hears_frames(world, caller, kHeaders, 1));
  world.pass(seconds(5));
  ASSERT_TRUE(world.until([&] {
    world.pass(std::chrono::milliseconds(100));
    return world.server.counters().replaced_connections == 1;
  }));
  ASSERT_TRUE(hears_frames(world, caller, kGoAway, 1));
  EXPECT_TRUE(world.hears_end(caller));
}

TEST(Http2Caller, HearsTwiceThatTheServerDrains) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kHello + get_frame(1)));
  TestPeer app = world.accept();
  world.server.start_draining();
  ASSERT_TRUE(hears_frames(world, caller, kGoAway, 1));
  world.pass(seconds(2));
  ASSERT_TRUE(hears_frames(world, caller, kGoAway, 2));
  ASSERT_TRUE(answers(world, app));
  ASSERT_TRUE(hears_frames(world, caller, kHeaders, 1));
  EXPECT_TRUE(world.hears_end(caller));
}

TEST(Http2Caller, OfAConnectionPastItsAgeIsToldToGo) {
  ProxyServerOptions options = full_detail();
  options.max_connection_age = seconds(10);
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kHello));
  ASSERT_TRUE(hears_frames(world, caller, kSettings, 1));
  world.pass(seconds(8));
  world.io.poll();
  caller.listen();
  EXPECT_EQ(frames(caller, kGoAway), 0);
  world.pass(seconds(4));
  EXPECT_TRUE(hears_frames(world, caller, kGoAway, 1));
}

TEST(Http1Caller, OfAConnectionPastItsAgeIsToldWithItsNextResponse) {
  ProxyServerOptions options = full_detail();
  options.max_connection_age = seconds(10);
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(answers(world, app));
  ASSERT_TRUE(world.hears(caller, kOk));
  world.pass(seconds(12));
  app.take_received();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(answers(world, app));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_NE(caller.received().find("Connection: close\r\n"), std::string::npos);
}

class Http2Upstream : public testing::Test {
 protected:
  Http2Upstream() { world_.handler.options.version = UpstreamVersion::kHttp2; }
  /// The app's connection, on which a POST has arrived as stream 1.
  TestPeer posted(TestPeer& caller) {
    EXPECT_TRUE(caller.say(kPost));
    TestPeer app = world_.accept();
    EXPECT_TRUE(app.say(frame(kSettings, 0, 0)));
    EXPECT_TRUE(hears_frames(world_, app, kHeaders, 1, http2::kPreface.size()));
    return app;
  }

  ProxyWorld world_;
};

TEST_F(Http2Upstream, GetsARequestAgainThatItRefused) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  // The second request finds the connection, is refused, and finds room there again.
  ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));  // 204
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  ASSERT_TRUE(caller.say(kPost));
  ASSERT_TRUE(hears_frames(world_, app, kHeaders, 2, http2::kPreface.size()));
  ASSERT_TRUE(app.say(frame(kReset, 0, 3, std::string("\0\0\0\x07", 4))));
  ASSERT_TRUE(hears_frames(world_, app, kHeaders, 3, http2::kPreface.size()));
  ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 5, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 2; }));
  EXPECT_EQ(world_.outcomes[1].status, 204);
}

TEST_F(Http2Upstream, GetsTheFirstRequestOfAConnectionAgainThatItRefused) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  ASSERT_TRUE(app.say(frame(kReset, 0, 1, std::string("\0\0\0\x07", 4))));
  ASSERT_TRUE(hears_frames(world_, app, kHeaders, 2, http2::kPreface.size()));
  ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 3, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.outcomes[0].status, 204);
}

/// GOAWAY with 0: it has processed nothing, and takes nothing more.
TEST_F(Http2Upstream, ThatLeavesBeforeItsFirstRequestLosesNoPost) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  ASSERT_TRUE(app.say(frame(kGoAway, 0, 0, std::string(8, '\0'))));
  TestPeer next = world_.accept();
  ASSERT_TRUE(next.say(frame(kSettings, 0, 0)));
  ASSERT_TRUE(hears_frames(world_, next, kHeaders, 1, http2::kPreface.size()));
  ASSERT_TRUE(next.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.outcomes[0].status, 204);
}

TEST_F(Http2Upstream, ThatRefusesEverythingIsAskedABoundedNumberOfTimes) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  for (int stream = 1; world_.outcomes.empty(); stream += 2) {
    ASSERT_LT(stream, 40);
    ASSERT_TRUE(app.say(frame(kReset, 0, stream, std::string("\0\0\0\x07", 4))));
    const int so_far = (stream + 1) / 2;
    ASSERT_TRUE(world_.until([&] {
      app.listen();
      return !world_.outcomes.empty() || frames(app, kHeaders, http2::kPreface.size()) > so_far;
    }));
  }
  EXPECT_EQ(world_.outcomes[0].status, 502);
}

TEST_F(Http2Upstream, GetsNoPostAgainThatItMayHaveRun) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  ASSERT_TRUE(app.say(frame(kReset, 0, 1, std::string("\0\0\0\x02", 4))));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.outcomes[0].status, 502);
  EXPECT_EQ(world_.outcomes[0].upstream_tries, 1);
}

/// A client of gRPC would make the same of the RST_STREAM itself. Also between hops of Bellows, so
/// that no hop takes it for a failure of the replica.
TEST_F(Http2Upstream, ThatResetsACallBeforeItsResponseHasSaidItsStatus) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(
      caller.say("POST /a.B/C HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
                 "Content-Length: 5\r\n\r\nhello"));
  TestPeer app = world_.accept();
  ASSERT_TRUE(app.say(frame(kSettings, 0, 0)));
  ASSERT_TRUE(hears_frames(world_, app, kHeaders, 1, http2::kPreface.size()));
  ASSERT_TRUE(app.say(frame(kReset, 0, 1, std::string("\0\0\0\x08", 4))));
  ASSERT_TRUE(world_.until([&] {
    caller.listen();
    return caller.received().ends_with("\r\n\r\n");
  }));
  EXPECT_NE(caller.received().find("grpc-status: 1\r\n"), std::string::npos) << caller.received();
  ASSERT_EQ(world_.outcomes.size(), 1U);
  EXPECT_EQ(world_.outcomes[0].grpc_status, 1);
  EXPECT_EQ(world_.outcomes[0].status, 502);
}

/// As a queue-proxy of an earlier version, during a rolling update.
TEST_F(Http2Upstream, ThatSpeaksHttp1AloneGetsItsRequestsByThat) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(kPost));
  TestPeer first = world_.accept();
  ASSERT_TRUE(first.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
  TestPeer second = world_.accept();
  ASSERT_TRUE(world_.hears(second, kPost))
      << "also a POST: the first connection understood nothing";
  ASSERT_TRUE(second.say(kOk));
  ASSERT_TRUE(world_.hears(caller, kOk));
  second.take_received();
  caller.take_received();
  ASSERT_TRUE(caller.say(kPost));
  ASSERT_TRUE(world_.hears(second, kPost)) << "at once, and on the same connection";
  ASSERT_TRUE(second.say(kOk));
  ASSERT_TRUE(world_.hears(caller, kOk));
  EXPECT_TRUE(world_.handler.errors.empty());
}

TEST_F(Http2Upstream, ThatSpokeHttp1AloneIsAskedAgainAMinuteLater) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(kPost));
  TestPeer first = world_.accept();
  ASSERT_TRUE(first.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
  TestPeer second = world_.accept();
  const auto is_served_by_http1 = [&](const std::string& request) {
    caller.take_received();
    second.take_received();
    return world_.hears(second, request) && second.say(kOk) && world_.hears(caller, kOk);
  };
  ASSERT_TRUE(is_served_by_http1(kPost));
  ASSERT_TRUE(world_.until([&] {
    world_.pass(milliseconds(100));
    return world_.handler.pool.open() == 1;
  })) << "the first connection is closed: from then on the minute counts";
  for (int half = 0; half < 2; ++half) {
    world_.pass(seconds(29));
    ASSERT_TRUE(caller.say(kGet));
    ASSERT_TRUE(is_served_by_http1(kGet));
  }
  world_.pass(seconds(4));
  ASSERT_TRUE(caller.say(kPost));
  TestPeer third = world_.accept();
  ASSERT_TRUE(third.say(frame(kSettings, 0, 0)));
  EXPECT_TRUE(hears_frames(world_, third, kHeaders, 1, http2::kPreface.size()));
}

/// It may have run the request before it crashed.
TEST_F(Http2Upstream, ThatClosesWithoutAByteGetsNoPostAgain) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(kPost));
  TestPeer app = world_.accept();
  ASSERT_TRUE(world_.until([&] {
    app.listen();
    return !app.received().empty();
  }));
  app.close();
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.outcomes[0].status, 502);
}

/// Its end and the request cross on their way, and it says no GOAWAY.
TEST_F(Http2Upstream, ThatClosedBeforeAPostArrivedGetsItAgain) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));  // 204
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  app.listen();
  ASSERT_TRUE(caller.say(kPost));
  world_.sockets.before_send = [&] { app.close(); };
  ASSERT_TRUE(world_.until([&] { return world_.sockets.connects == 2; }));
  world_.sockets.before_send = nullptr;
  TestPeer again = world_.accept();
  ASSERT_TRUE(again.say(frame(kSettings, 0, 0)));
  ASSERT_TRUE(hears_frames(world_, again, kHeaders, 1, http2::kPreface.size()));
  ASSERT_TRUE(again.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 2; }));
  EXPECT_EQ(world_.outcomes[1].status, 204);
  EXPECT_EQ(world_.outcomes[1].retries.runs(), 0);
}

TEST_F(Http2Upstream, HasOneConnectionForManyRequests) {
  TestPeer caller = world_.caller();
  TestPeer app = posted(caller);
  ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.outcomes.size() == 1; }));
  EXPECT_EQ(world_.handler.pool.open(), 1U);
  EXPECT_EQ(world_.handler.pool.idle(), 1U);
  app.close();
  EXPECT_TRUE(world_.until([&] { return world_.handler.pool.open() == 0; }));
}

TEST_F(Http2Upstream, KeepsOneOfManyConnectionsThatAreIdle) {
  const std::string one_stream = frame(kSettings, 0, 0, std::string("\0\x03\0\0\0\x01", 6));
  std::vector<TestPeer> callers(3);
  std::vector<TestPeer> apps;
  for (TestPeer& caller : callers) {
    caller = world_.caller();
    ASSERT_TRUE(caller.say(kPost));
    apps.push_back(world_.accept());
    ASSERT_TRUE(apps.back().say(one_stream));
    ASSERT_TRUE(hears_frames(world_, apps.back(), kHeaders, 1, http2::kPreface.size()));
  }
  EXPECT_EQ(world_.handler.pool.open(), 3U);
  for (TestPeer& app : apps) ASSERT_TRUE(app.say(frame(kHeaders, kEndStreamAndHeaders, 1, "\x89")));
  ASSERT_TRUE(world_.until([&] { return world_.handler.pool.idle() == 3; }));
  ASSERT_TRUE(world_.until([&] {
    world_.pass(milliseconds(500));
    return world_.handler.pool.open() == 1;
  })) << "seconds after that";
  apps[1].listen();
  EXPECT_TRUE(apps[1].has_ended());
  apps[0].listen();
  EXPECT_FALSE(apps[0].has_ended());
}

}  // namespace
}  // namespace bellows::proxy
