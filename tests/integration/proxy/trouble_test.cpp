// Failures of either side: each ends with a correct result and leaks nothing.
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

#include "http/core/chunk_scanner.hpp"
#include "tests/integration/proxy/proxy_world.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestListener;
using test::TestPeer;

TEST(UpstreamAborts, AtEveryByteOfAResponseNeverLooksComplete) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"};
  for (const std::string& answer : answers) {
    const std::size_t head = answer.find("\r\n\r\n") + 4;
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
      ProxyWorld world;
      TestPeer caller = world.caller();
      ASSERT_TRUE(caller.say(kGet));
      TestPeer app = world.accept();
      ASSERT_TRUE(world.hears(app, kGet));
      ASSERT_TRUE(app.say(answer.substr(0, cut)));
      app.close();
      if (cut < head) {
        ASSERT_TRUE(world.until([&] {
          caller.listen();
          return !caller.received().empty();
        }));
        EXPECT_EQ(status_line(caller), "HTTP/1.1 502 Bad Gateway") << "cut at " << cut;
      } else {
        ASSERT_TRUE(world.hears_end(caller));
        EXPECT_TRUE(caller.was_reset()) << "cut at " << cut << ": received " << caller.received();
      }
      EXPECT_TRUE(world.is_at_rest()) << "cut at " << cut;
    }
  }
}

/// A caller on a Unix socket, whose connection cannot be reset, and an app whose response ends with
/// its connection.
class UnixCaller : public testing::Test {
 protected:
  UnixCaller() {
    const std::string path = folder_.path("traffic.sock");
    EXPECT_TRUE(world_.server.listen(Endpoint{.host = {}, .port = 0, .unix_path = path}));
    caller_ = TestPeer::connect_to(path);
    EXPECT_TRUE(caller_.say(kGet));
    app_ = world_.accept();
    EXPECT_TRUE(world_.hears(app_, kGet));
    EXPECT_TRUE(app_.say("HTTP/1.0 200 OK\r\n\r\npart"));
    EXPECT_TRUE(world_.hears(caller_, begun_));
  }

  const std::string begun_ = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n";
  test::TemporaryFolder folder_;
  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
};

TEST_F(UnixCaller, GetsAResponseWithoutLengthInChunksAndKeepsItsConnection) {
  const std::string more(100'000, 'x');
  ASSERT_TRUE(app_.say(more));
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return caller_.received().size() > begun_.size() + more.size();
  }));
  app_.close();
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return caller_.received().ends_with("x\r\n0\r\n\r\n");
  }));
  http::ChunkScanner chunks;
  const std::string& received = caller_.received();
  std::string_view body = received;
  body.remove_prefix(received.find("\r\n\r\n") + 4);
  EXPECT_EQ(chunks.feed(body), body.size());
  EXPECT_TRUE(chunks.is_complete());
  EXPECT_EQ(chunks.data_bytes(), 4 + more.size());
  EXPECT_EQ(world_.outcomes.at(0).response_bytes, 4 + more.size());
  caller_.take_received();
  ASSERT_TRUE(caller_.say(kGet));
  TestPeer again = world_.accept();
  ASSERT_TRUE(world_.hears(again, kGet));
  ASSERT_TRUE(again.say(kOk));
  EXPECT_TRUE(world_.hears(caller_, kOk));
}

TEST_F(UnixCaller, SeesAnAbortedResponseByItsMissingLastChunk) {
  app_.reset();
  ASSERT_TRUE(world_.hears_end(caller_));
  EXPECT_EQ(ProxyWorld::without_date(caller_.received()), begun_);
  EXPECT_TRUE(world_.outcomes.at(0).aborted_by);
}

TEST(DownstreamAborts, AtEveryByteOfARequestLeavesNothingBehind) {
  const std::vector<std::string> requests = {
      kPost,
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"};
  for (const std::string& request : requests) {
    for (std::size_t cut = 0; cut <= request.size(); ++cut) {
      ProxyWorld world;
      TestPeer caller = world.caller();
      ASSERT_TRUE(caller.say(request.substr(0, cut)));
      ASSERT_TRUE(world.until([&] { return world.server.counters().connections == 1; }));
      caller.close();
      EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }))
          << "cut at " << cut;
      EXPECT_TRUE(world.is_at_rest()) << "cut at " << cut;
    }
  }
}

TEST(CallerLeaves, WhileItWaitsSoTheUpstreamIsClosedAtOnce) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  caller.close();
  EXPECT_TRUE(world.hears_end(app));
  EXPECT_TRUE(world.is_at_rest());
  EXPECT_TRUE(world.outcomes.at(0).aborted_by);
  EXPECT_EQ(world.outcomes.at(0).error, ErrorKind::kCancelled);
}

TEST(IdleUpstream, ThatWasClosedIsNotReused) {
  for (const std::string& request : {kGet, kPost}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    TestPeer app;
    warm_up(world, caller, app);
    app.close();
    ASSERT_TRUE(caller.say(request));
    TestPeer fresh = world.accept();
    ASSERT_TRUE(world.hears(fresh, request));
    ASSERT_TRUE(fresh.say(kOk));
    EXPECT_TRUE(world.hears(caller, kOk));
  }
}

TEST(IdleUpstream, ThatClosesOnArrivalIsReplacedForARetryableRequest) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  TestPeer app;
  warm_up(world, caller, app);
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.hears(app, kGet));
  app.close();
  TestPeer fresh = world.accept();
  ASSERT_TRUE(world.hears(fresh, kGet));
  ASSERT_TRUE(fresh.say(kOk));
  EXPECT_TRUE(world.hears(caller, kOk));
  EXPECT_EQ(world.server.counters().retries, 1U);
}

TEST(IdleUpstream, ThatClosesOnAPostDoesNotGetItTwice) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  TestPeer app;
  warm_up(world, caller, app);
  ASSERT_TRUE(caller.say(kPost));
  ASSERT_TRUE(world.hears(app, kPost));
  app.close();
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 502 Bad Gateway");
  EXPECT_FALSE(world.handler.errors.at(0).may_retry());
}

TEST(IdleUpstream, ThatTimesOutDoesNotGetTheRequestAgain) {
  for (const TimeLimits& limits : std::vector<TimeLimits>{
           {.total = seconds(1)}, {.response_start = seconds(1)}, {.idle = seconds(1)}}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    TestPeer app;
    warm_up(world, caller, app);
    world.handler.options.limits = limits;
    ASSERT_TRUE(caller.say(kGet));
    ASSERT_TRUE(world.hears(app, kGet));
    world.pass(milliseconds(1100));
    ASSERT_TRUE(world.until([&] {
      caller.listen();
      return !caller.received().empty();
    }));
    EXPECT_EQ(status_line(caller), "HTTP/1.1 504 Gateway Timeout");
    EXPECT_FALSE(world.app.accept().is_open()) << "an app that is slow would do it twice";
    EXPECT_EQ(world.outcomes.at(1).upstream_tries, 1);
    EXPECT_EQ(world.server.counters().retries, 0U);
  }
}

TEST(Upstream, ThatRefusesIsNamedAndTheRequestMayBeRetriedElsewhere) {
  ProxyWorld world;
  world.app.close();
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kPost));
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return !caller.received().empty();
  }));
  EXPECT_EQ(status_line(caller), "HTTP/1.1 502 Bad Gateway");
  EXPECT_NE(caller.received().find("X-Bellows-Reason: refused"), std::string::npos);
  EXPECT_NE(caller.received().find("\r\n\r\napp: 127.0.0.1:"), std::string::npos)
      << caller.received();
  EXPECT_TRUE(world.handler.errors.at(0).may_retry());
  ASSERT_TRUE(caller.say(kGet)) << "the caller's connection is as good as before";
  EXPECT_TRUE(world.until([&] { return world.server.counters().requests == 2; }));
}

// Connections to many upstreams are idle for up to a minute; the callers need descriptors too.
TEST(IdleUpstreams, BeyondTheLimitLoseTheOldestForANewOne) {
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, {}, Duration::zero(),
                   {.max_connections = 3});
  TestPeer caller = world.caller();
  std::vector<std::unique_ptr<TestListener>> listeners;
  std::vector<TestPeer> apps;
  for (std::size_t i = 0; i < 4; ++i) {
    listeners.push_back(std::make_unique<TestListener>());
    world.handler.upstream.port = listeners.back()->port();
    ASSERT_TRUE(caller.say(kGet));
    TestPeer& app = apps.emplace_back();
    ASSERT_TRUE(world.until([&] { return (app = listeners.back()->accept()).is_open(); }));
    ASSERT_TRUE(world.hears(app, kGet));
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears(caller, kOk));
    caller.take_received();
    EXPECT_EQ(world.handler.pool.open(), std::min<std::size_t>(i + 1, 3));
    world.pass(seconds(1));
  }
  EXPECT_TRUE(world.hears_end(apps.at(0)));
  apps.at(1).listen();
  EXPECT_FALSE(apps.at(1).has_ended());
  EXPECT_EQ(world.handler.pool.idle(), 3U);
}

TEST(UpstreamResponse, ThatIsMalformedBecomesA502) {
  for (const std::string& bad : std::vector<std::string>{
           "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "nonsense\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
           "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\n\r\n"}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(kGet));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, kGet));
    ASSERT_TRUE(app.say(bad));
    ASSERT_TRUE(world.until([&] {
      caller.listen();
      return !caller.received().empty();
    }));
    EXPECT_EQ(status_line(caller), "HTTP/1.1 502 Bad Gateway") << bad;
    EXPECT_TRUE(world.hears_end(app));
  }
}

/// Whichever call fails, the exchange ends and the next one is served.
TEST(FaultyCalls, TheNthReadWriteOrConnectFails) {
  for (int FaultySockets::*fault :
       {&FaultySockets::fail_receive, &FaultySockets::fail_send, &FaultySockets::fail_connect}) {
    for (int n = 0; n < 8; ++n) {
      ProxyWorld world;
      world.sockets.*fault = n;
      {
        TestPeer caller = world.caller();
        ASSERT_TRUE(caller.say(kPost + kGet));
        std::vector<TestPeer> apps;
        EXPECT_TRUE(world.until([&] {
          caller.listen();
          if (TestPeer app = world.app.accept(); app.is_open()) apps.push_back(std::move(app));
          for (TestPeer& app : apps) {
            app.listen();
            const std::string received = app.take_received();
            for (const std::string* whole : {&kPost, &kGet}) {
              if (received.find(*whole) != std::string::npos) app.say(kOk);
            }
          }
          const ProxyCounters& counters = world.server.counters();
          return caller.has_ended() || (counters.requests == 2 && counters.in_flight == 0);
        })) << "call "
            << n;
      }
      EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; })) << n;
      EXPECT_TRUE(world.is_at_rest()) << n;
    }
  }
}

http::net::awaitable<void, http::Executor> stop_server(ProxyServer& server, TimePoint at,
                                                       bool& done) {
  co_await server.stop(at);
  done = true;
}

void stop(ProxyWorld& world, Duration within, bool& done) {
  http::net::co_spawn(world.io, stop_server(world.server, world.clock.now() + within, done),
                      [](std::exception_ptr) {});
}

TEST(Drain, IdleConnectionsCloseAndTheLastResponseSaysSo) {
  ProxyWorld world;
  TestPeer kept = world.caller();
  TestPeer app;
  warm_up(world, kept, app);
  TestPeer busy = world.caller();
  ASSERT_TRUE(busy.say(kGet));
  ASSERT_TRUE(world.hears(app, kGet));
  world.server.start_draining();
  EXPECT_TRUE(world.hears_end(kept));
  const std::string last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(busy, last));
  EXPECT_TRUE(world.hears_end(busy));
  EXPECT_FALSE(busy.was_reset());
  EXPECT_TRUE(world.server.is_idle());
  TestPeer late = world.caller();
  ASSERT_TRUE(late.say(kGet)) << "who does not know yet is served";
  ASSERT_TRUE(world.hears(app, kGet + kGet));
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears(late, last));
}

TEST(Stop, WaitsForRequestsInFlight) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  bool done = false;
  stop(world, seconds(30), done);
  world.io.poll();
  EXPECT_FALSE(done);
  ASSERT_TRUE(app.say(kOk));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.received().ends_with("ok"));
  caller.close();
  EXPECT_TRUE(world.until([&] { return done; }));
}

TEST(Stop, AbortsRemainingRequestsAtTheDeadline) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"));
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().ends_with("part");
  }));
  bool done = false;
  stop(world, Duration::zero(), done);
  EXPECT_TRUE(world.until([&] { return done; }));
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.was_reset());
  EXPECT_TRUE(world.is_at_rest());
}

TEST(Stop, ARequestDestroyedWithItsServerIsStillReported) {
  ProxyWorld world;
  std::vector<Outcome> outcomes;
  auto server = std::make_unique<ProxyServer>(world.reactor, world.handler);
  server->set_observer(
      [&](const Exchange&, const Outcome& outcome) { outcomes.push_back(outcome); });
  const auto listening =
      server->listen(Endpoint{.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  TestPeer caller = TestPeer::connect_to(listening.port);
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  server.reset();
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].status, 0);
  EXPECT_TRUE(outcomes[0].aborted_by);
  EXPECT_EQ(outcomes[0].error, ErrorKind::kCancelled);
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.was_reset());
}

TEST(MaxForwards, OfZeroGetsALocalReplyAndTheConnectionIsKept) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"));
  ASSERT_TRUE(world.hears(caller,
                          "HTTP/1.1 204 No Content\r\nX-Bellows-Reason: max-forwards\r\n"
                          "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n\r\n"));
  ASSERT_TRUE(caller.say("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 1\r\n\r\n"));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, "OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"));
}

TEST(Server, APortInUseIsNamed) {
  ProxyWorld world;
  const auto again =
      world.server.listen(Endpoint{.host = "127.0.0.1", .port = world.port, .unix_path = {}});
  ASSERT_FALSE(again);
  EXPECT_EQ(to_string(again.error()), "127.0.0.1:" + std::to_string(world.port) +
                                          ": bind: Address already in use (EADDRINUSE)");
}

}  // namespace
}  // namespace bellows::proxy
