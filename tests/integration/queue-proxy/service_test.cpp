#include "queue-proxy/service/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/queue-proxy/service_world.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using config::QueueProxySettings;
using config::QueueTimeHeader;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTunnelGet =
    "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
constexpr const char* kSwitching =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

void one_at_a_time(QueueProxySettings& settings) {
  settings.container_concurrency = 1;
}

/// A first caller, and one that waited 1.5 s for it; both have their responses.
std::pair<std::string, std::string> answers_to_two(ServiceWorld& world,
                                                   const std::string& request = kGet) {
  TestPeer first = world.caller(request);
  EXPECT_TRUE(world.app_holds(1));
  TestPeer second = world.caller(request);
  EXPECT_TRUE(world.until([&] {
    return world.asked("/metrics").find("queue_proxy_queue_depth 1\n") != std::string::npos;
  }));
  world.clock.advance(1500ms);
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(first, "ok"));
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(second, "ok"));
  return {first.take_received(), second.take_received()};
}

TEST(QueueProxyThatDrains, GivesARequestThatArrivesWithTheSignalTheWholeDrainTime) {
  ServiceWorld world;
  TestPeer caller = world.known_caller();
  TestPeer other = world.known_caller();
  ASSERT_TRUE(other.say("GET /half"));
  // Nothing is in flight at the signal; the last read of the connections finds this request.
  ASSERT_TRUE(caller.say(kGet));
  world.drain();
  ASSERT_TRUE(world.app_holds(1));
  world.clock.advance(20s);
  other.close();  // it looks whether all are gone
  world.work();
  caller.listen();
  ASSERT_FALSE(caller.has_ended());
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(caller, "ok"));
  caller.close();
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

TEST(QueueProxyThatDrains, WaitsForATunnelThatContinues) {
  ServiceWorld world;
  TestPeer caller = world.caller(kTunnelGet);
  ASSERT_TRUE(world.app_answers(kSwitching));
  ASSERT_TRUE(world.hears(caller, "\r\n\r\n"));
  world.drain();
  EXPECT_TRUE(world.until([&] { return !world.is_ready(); }));
  caller.take_received();
  ASSERT_TRUE(caller.say("hello"));
  ASSERT_TRUE(world.app_answers("hello yourself"));
  EXPECT_TRUE(world.hears(caller, "hello yourself"));
  EXPECT_FALSE(world.is_done);
  caller.close();
  for (TestPeer& peer : world.app_peers) peer.close();
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
}

TEST(QueueProxyThatDrains, AbortsATunnelThatExceedsTheTimeLimitOfItsRevision) {
  ServiceWorld world([](QueueProxySettings& settings) { settings.request_timeout = 30min; });
  TestPeer caller = world.caller(kTunnelGet);
  ASSERT_TRUE(world.app_answers(kSwitching));
  ASSERT_TRUE(world.hears(caller, "\r\n\r\n"));
  world.clock.advance(20min);
  world.drain();
  EXPECT_TRUE(world.until([&] { return !world.is_ready(); }));
  EXPECT_FALSE(world.is_done);
  world.clock.advance(30min);
  EXPECT_TRUE(world.until([&] { return world.is_done; }));
  caller.listen();
  EXPECT_TRUE(caller.has_ended());
}

TEST(QueueProxyWhoseAppIsBusy, StaysReadyThoughItsProbesWaitForTheRequest) {
  ServiceWorld world([](QueueProxySettings& settings) {
    settings.readiness = {.path = "/up", .timeout = 20ms, .period = 1ms, .failure_threshold = 1};
  });
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.is_told(R"({"event":"ready"})"));
  TestPeer caller = world.caller();
  // One request and five probes, one after the other: four of these have timed out.
  ASSERT_TRUE(world.until([&] { return world.held_by_app() >= 6; }));
  EXPECT_TRUE(world.is_ready());
  for (TestPeer& peer : world.app_peers) {
    if (peer.received().starts_with("GET /a ")) {
      EXPECT_TRUE(peer.say(kOk));
    }
  }
  EXPECT_TRUE(world.hears(caller, "ok"));
  // Now the probe does not have to wait any more.
  EXPECT_TRUE(
      world.until([&] { return world.told_line().find("within 20ms") != std::string::npos; }));
  EXPECT_FALSE(world.is_ready());
}

/// Each probe of a queue-proxy that probes a path gets that response; true once its parent
/// process is notified that the app is ready.
bool is_ready_when_told(const std::string& answer) {
  ServiceWorld world([](QueueProxySettings& settings) { settings.readiness.path = "/healthz"; });
  return world.until([&] {
    world.held_by_app();
    for (TestPeer& peer : world.app_peers) {
      if (peer.take_received().starts_with("GET /healthz ")) peer.say_some(answer);
    }
    return world.told_line().find(R"("ready")") != std::string::npos;
  });
}

/// gRPC has no other version: the app speaks both, or cannot be called so at all.
TEST(QueueProxyWhoseAppAnswersItsProbeByHttp1, SendsItCallsOfGrpcByHttp2) {
  ServiceWorld world([](QueueProxySettings& settings) {
    settings.app_protocol = config::AppProtocol::kAuto;
    settings.readiness.path = "/up";
  });
  std::string told;
  std::string seen;
  const auto app_sees = [&](const std::string& text) {
    world.held_by_app();
    for (TestPeer& peer : world.app_peers) {
      const std::string asked = peer.take_received();
      seen += asked;
      if (asked.starts_with("GET ")) peer.say(kOk);
    }
    return seen.find(text) != std::string::npos;
  };
  ASSERT_TRUE(world.until([&] {
    app_sees("/up");
    told += world.told_line();
    return told.find(R"("ready")") != std::string::npos;
  }));
  const auto call = [&](const std::string& path, const std::string& type) {
    return world.caller(std::string(http2::kPreface) + test::frame(test::kSettings, 0, 0) +
                        test::headers(1, {{":method", "POST"},
                                          {":scheme", "http"},
                                          {":authority", "a"},
                                          {":path", path},
                                          {"content-type", type}}));
  };
  const TestPeer web = call("/web", "application/grpc-web");
  EXPECT_TRUE(world.until([&] { return app_sees("POST /web HTTP/1.1\r\n"); })) << seen;
  EXPECT_EQ(seen.find("PRI "), std::string::npos) << seen;
  const TestPeer real = call("/a.B/C", "application/grpc");
  EXPECT_TRUE(world.until([&] { return app_sees(std::string(http2::kPreface)); })) << seen;
  EXPECT_EQ(told.find("h2c"), std::string::npos) << "what other requests are spoken to by";
}

// An open stream does not show that the app will respond to its probe later.
TEST(QueueProxyWhoseAppHangs, IsNotReadyThoughATunnelIsOpen) {
  ServiceWorld world([](QueueProxySettings& settings) {
    settings.readiness = {.path = "/up", .timeout = 20ms, .period = 1ms, .failure_threshold = 3};
  });
  const auto answer = [&](bool probes_too) {
    world.held_by_app();
    for (TestPeer& peer : world.app_peers) {
      const std::string asked = peer.take_received();
      if (asked.starts_with("GET /chat ")) peer.say(kSwitching);
      if (asked.starts_with("GET /up ") && probes_too) peer.say(kOk);
    }
  };
  ASSERT_TRUE(world.until([&] {
    answer(true);
    return world.told_line().find(R"("ready")") != std::string::npos;
  }));
  TestPeer caller = world.caller(kTunnelGet);
  ASSERT_TRUE(world.until([&] {
    answer(true);
    caller.listen();
    return caller.received().ends_with("\r\n\r\n");
  }));
  EXPECT_TRUE(world.until([&] {
    answer(false);
    return world.told_line().find(R"("unready")") != std::string::npos;
  }));
  caller.close();
  for (TestPeer& peer : world.app_peers) peer.close();
}

// A probe of another address would succeed at once, and each refused request would contradict it.
/// Probes /live every millisecond of the world's clock; three in 20 ms each without an answer mean
/// that the app hangs.
void with_liveness(QueueProxySettings& settings) {
  settings.liveness = config::ReadinessProbe{
      .path = "/live", .timeout = 20ms, .period = 1ms, .failure_threshold = 3};
}

/// Time passes until the parent process is told that the app hangs.
bool is_found_hung(ServiceWorld& world) {
  return world.until([&] {
    world.clock.advance(1ms);
    world.held_by_app();
    return world.told_line().find(R"("hung")") != std::string::npos;
  });
}

TEST(QueueProxyWhoseAppHangs, TellsItsParentAndTheRequestsThatTheAppHas) {
  ServiceWorld world(with_liveness);
  ASSERT_TRUE(world.is_told(R"({"event":"ready"})"));
  TestPeer caller = world.caller();
  ASSERT_TRUE(is_found_hung(world));
  for (TestPeer& peer : world.app_peers) peer.close();  // it is killed
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().find(
               "its app hung and is restarted: 3 liveness probes failed in "
               "a row: ") != std::string::npos;
  })) << caller.received();
  EXPECT_THAT(caller.received(), HasSubstr("HTTP/1.1 502 "));
  world.app_peers.clear();
  world.restart_app();
  TestPeer next = world.caller();
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(next, "ok"));
}

TEST(QueueProxyWhoseAppHangs, DoesNotLetAnActivatorRepeatWhatMayHaveMadeItHang) {
  ServiceWorld world([](QueueProxySettings& settings) {
    with_liveness(settings);
    settings.activator_port = 0;
  });
  TestPeer activator = world.activator();
  ASSERT_TRUE(is_found_hung(world));
  for (TestPeer& peer : world.app_peers) peer.close();
  EXPECT_TRUE(world.until([&] {
    activator.listen();
    return activator.received().find("its app hung") != std::string::npos;
  }));
  EXPECT_THAT(activator.received(), Not(HasSubstr("X-Bellows-Retry")));
}

TEST(QueueProxyThatProbesElsewhere, DoesNotTakeARefusedRequestForAProbeResult) {
  test::TestListener elsewhere;
  ServiceWorld world(
      [&](QueueProxySettings& settings) { settings.readiness.port = elsewhere.port(); });
  ASSERT_TRUE(world.is_told(R"({"event":"ready"})"));
  world.app.close();
  TestPeer caller = world.caller();
  ASSERT_TRUE(world.until([&] {
    world.clock.advance(1s);
    caller.listen();
    return caller.received().starts_with("HTTP/1.1 502 ");
  }));
  EXPECT_TRUE(world.is_ready());
  EXPECT_EQ(world.told_line(), "");
}

std::string get_that_waits(const std::string& wait) {
  return "GET /a HTTP/1.1\r\nHost: a\r\nX-Bellows-Wait: " + wait + "\r\n\r\n";
}

bool has_queued(ServiceWorld& world, int count) {
  const std::string line = "queue_proxy_queue_depth " + std::to_string(count) + "\n";
  return world.until([&] { return world.asked("/metrics").find(line) != std::string::npos; });
}

TEST(QueueProxyWithoutAFreeSlot, RefusesARequestOfAnActivatorThatMayNotWait) {
  ServiceWorld world([](QueueProxySettings& settings) {
    one_at_a_time(settings);
    settings.behind_activator = true;
  });
  TestPeer first = world.caller(get_that_waits("none"));
  ASSERT_TRUE(world.app_holds(1)) << "a slot is free";
  TestPeer at_once = world.caller(get_that_waits("none"));
  EXPECT_TRUE(world.hears(at_once, "has no free slot\n"));
  TestPeer later = world.caller(get_that_waits("brief"));
  ASSERT_TRUE(has_queued(world, 1));
  world.clock.advance(100ms);
  EXPECT_TRUE(world.hears(later, "has no free slot\n"));
  for (const TestPeer* refused : {&at_once, &later}) {
    EXPECT_THAT(refused->received(), HasSubstr("HTTP/1.1 503 "));
    EXPECT_THAT(refused->received(), HasSubstr("X-Bellows-Reason: overloaded\r\n"));
    EXPECT_THAT(refused->received(), HasSubstr("X-Bellows-Retry: elsewhere\r\n"));
  }
  EXPECT_THAT(world.asked("/metrics"), Not(HasSubstr("code_class=\"5xx\"} 1\n")))
      << "they are served elsewhere";
  TestPeer in_time = world.caller(get_that_waits("brief"));
  ASSERT_TRUE(has_queued(world, 1));
  world.clock.advance(99ms);
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(first, "ok"));
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(in_time, "ok"));
}

TEST(QueueProxyWithoutAFreeSlot, QueuesARequestOfOtherCallersWhateverItSays) {
  ServiceWorld world(one_at_a_time);
  TestPeer first = world.caller(get_that_waits("none"));
  ASSERT_TRUE(world.app_holds(1));
  TestPeer second = world.caller(get_that_waits("none"));
  ASSERT_TRUE(has_queued(world, 1));
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(first, "ok"));
  EXPECT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(second, "ok"));
}

TEST(QueueProxyOfAnActivator, ReportsThatARequestTimedOutInItsQueue) {
  ServiceWorld world([](QueueProxySettings& settings) {
    one_at_a_time(settings);
    settings.behind_activator = true;
    settings.request_timeout = 30s;
  });
  TestPeer first = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  world.clock.advance(10s);
  TestPeer second = world.caller(kTunnelGet);
  TestPeer third = world.caller();
  ASSERT_TRUE(world.until([&] {
    return world.asked("/metrics").find("queue_proxy_queue_depth 2\n") != std::string::npos;
  }));
  ASSERT_TRUE(world.app_answers());
  ASSERT_TRUE(world.hears(first, "ok"));
  ASSERT_TRUE(world.app_answers(kSwitching));
  ASSERT_TRUE(world.hears(second, "\r\n\r\n"));
  world.clock.advance(31s);
  EXPECT_TRUE(world.until([&] {
    third.listen();
    return third.received().starts_with("HTTP/1.1 504 ");
  }));
  EXPECT_THAT(third.received(), HasSubstr("X-Bellows-Queue: timeout\r\n"));
  EXPECT_THAT(third.received(), HasSubstr("X-Bellows-Reason: timeout\r\n"));
  second.close();
  for (TestPeer& peer : world.app_peers) peer.close();
}

TEST(QueueProxyThatProbesAPath, IsReadyIfTheResponseIsALargePage) {
  EXPECT_TRUE(is_ready_when_told("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" +
                                 std::string(200000, 'x')));
}

TEST(QueueProxyThatProbesAPath, IsReadyIfTheResponseIsAStreamOfEvents) {
  EXPECT_TRUE(
      is_ready_when_told("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"));
}

TEST(QueueProxyThatProbesAPath, IsReadyIfTheResponseHasALargeHead) {
  EXPECT_TRUE(is_ready_when_told("HTTP/1.1 302 Found\r\nSet-Cookie: " + std::string(20000, 'x') +
                                 "\r\nContent-Length: 0\r\n\r\n"));
}

TEST(QueueProxyWhoseAppWasRestarted, IsNotReadyUntilItsProbeSucceeds) {
  ServiceWorld world;
  ASSERT_TRUE(world.is_told(R"({"event":"ready"})"));
  world.restart_app();
  EXPECT_EQ(world.told_line(), R"({"event":"unready","reason":"the app was restarted"})");
  EXPECT_TRUE(world.is_told(R"({"event":"ready"})"));
}

TEST(QueueProxyOfAnActivator, ReportsItsLoadAndTheQueueTime) {
  ServiceWorld world([](QueueProxySettings& settings) {
    one_at_a_time(settings);
    settings.behind_activator = true;
  });
  const auto [first, second] = answers_to_two(world);
  EXPECT_THAT(first, HasSubstr("X-Bellows-In-Flight: 2\r\n"));
  EXPECT_THAT(first, Not(HasSubstr("X-Bellows-Queue-Ms")));
  EXPECT_THAT(second, HasSubstr("X-Bellows-In-Flight: 1\r\n"));
  EXPECT_THAT(second, HasSubstr("X-Bellows-Queue-Ms: 1500\r\n"));
}

TEST(QueueProxyOfOtherCallers, ReportsTheQueueTimeAsItsSettingSays) {
  struct Case {
    QueueTimeHeader header;
    std::string line;  // of the request
    bool first;        // is told
    bool second;
  };
  const std::string asks = "X-Bellows-Queue-Ms: 1\r\n";
  for (const auto& [header, line, is_first_told, is_second_told] :
       std::vector<Case>{{QueueTimeHeader::kAsked, "", false, false},
                         {QueueTimeHeader::kAsked, asks, true, true},
                         {QueueTimeHeader::kWaited, "", false, true},
                         {QueueTimeHeader::kAlways, "", true, true}}) {
    SCOPED_TRACE(static_cast<int>(header));
    ServiceWorld world([header = header](QueueProxySettings& settings) {
      one_at_a_time(settings);
      settings.queue_time_header = header;
    });
    const auto [first, second] =
        answers_to_two(world, "GET /a HTTP/1.1\r\nHost: a\r\n" + line + "\r\n");
    EXPECT_EQ(first.find("X-Bellows-Queue-Ms: 0\r\n") != std::string::npos, is_first_told);
    EXPECT_EQ(second.find("X-Bellows-Queue-Ms: 1500\r\n") != std::string::npos, is_second_told);
    EXPECT_THAT(first + second, Not(HasSubstr("X-Bellows-In-Flight")));
  }
}

TEST(QueueProxyMetrics, HaveDurationsQueueTimesAndRunningRequests) {
  ServiceWorld world(one_at_a_time);
  ASSERT_TRUE(world.is_told(R"({"event":"ready"})"));
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("bellows_queue_proxy_ready 1\n"));
  answers_to_two(world);
  TestPeer third = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  const std::string metrics = world.asked("/metrics");
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_in_flight 1\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_queue_depth 0\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_request_duration_seconds_sum 3\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_request_duration_seconds_count 2\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_queue_seconds_sum 1.5\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_queue_seconds_count 1\n"));
  EXPECT_THAT(metrics, HasSubstr("bellows_queue_proxy_requests_total{code_class=\"2xx\"} 2\n"));
}

TEST(QueueProxyMetrics, CountTheQueueTimeOfRequestsThatLeft) {
  ServiceWorld world([](QueueProxySettings& settings) {
    one_at_a_time(settings);
    settings.queue_age = 2s;
  });
  TestPeer first = world.caller();
  ASSERT_TRUE(world.app_holds(1));
  TestPeer second = world.caller();
  ASSERT_TRUE(world.until([&] {
    return world.asked("/metrics").find("queue_proxy_queue_depth 1\n") != std::string::npos;
  }));
  world.clock.advance(2s);
  EXPECT_TRUE(world.until([&] {
    second.listen();
    return second.received().starts_with("HTTP/1.1 503 ");
  }));
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("bellows_queue_proxy_queue_seconds_sum 2\n"));
}

TEST(QueueProxyMetrics, CountRetriesOverAFreshConnection) {
  ServiceWorld world;
  TestPeer caller = world.known_caller();
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.app_holds(1));
  for (TestPeer& peer : world.app_peers) {
    if (!peer.received().empty()) peer.reset();  // a kept connection that it closed just then
  }
  std::erase_if(world.app_peers, [](const TestPeer& peer) { return !peer.is_open(); });
  ASSERT_TRUE(world.app_answers());
  EXPECT_TRUE(world.hears(caller, "ok"));
  EXPECT_THAT(world.asked("/metrics"), HasSubstr("bellows_queue_proxy_upstream_retries_total 1\n"));
}

}  // namespace
}  // namespace bellows::queue_proxy
