// What an exporter does when its collector does not do what it should.
#include "proxy/io/span_exporter.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "proxy/io/observers.hpp"
#include "tests/integration/proxy/proxy_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

ProxyServerOptions recording() {
  ProxyServerOptions options = full_detail();
  options.trace = TraceOptions{.sampling = 1, .records = true};
  return options;
}

http::Response response(int status, std::string body = {}) {
  http::Response made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

/// A collector that answers as the test says, and counts.
class Exporting {
 public:
  Exporting()
      : world({.slots = 100, .queue = {.count = 100}}, recording()),
        exporter(world.reactor, {.service = "proxy"},
                 {.post = [this](std::string body) { return answer(std::move(body)); },
                  .sleep = [this](Duration pause) -> http::Awaitable<bool> {
                    pauses.push_back(pause);
                    co_return true;
                  }}) {
    world.server.set_observer(observer_of(nullptr, &exporter));
  }

  void request() {
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(kGet));
    TestPeer app = world.accept();
    ASSERT_TRUE(app.say(kOk));
    ASSERT_TRUE(world.hears(caller, kOk));
    ASSERT_TRUE(world.is_at_rest());
  }
  /// And what that starts runs.
  void pass(Duration duration) {
    world.pass(duration);
    for (int turn = 0; turn < 20; ++turn) world.io.poll();
  }
  void stop(Duration within) {
    test::run_task<void>(world.io, [&]() -> http::Awaitable<void> {
      co_await exporter.stop(sys::system_clock().now() + within);
    });
  }

  ProxyWorld world;
  std::deque<Result<http::Response>> answers;  ///< one for each try; empty: 200
  bool is_silent = false;                      ///< does not answer at all
  std::vector<std::string> bodies;
  std::vector<Duration> pauses;
  SpanExporter exporter;

 private:
  http::Awaitable<Result<http::Response>> answer(std::string body) {
    bodies.push_back(std::move(body));
    if (is_silent) {
      co_await http::sleep_for(std::chrono::hours(1));
      co_return fail(ErrorKind::kTimeout, "collector", "silent");
    }
    if (answers.empty()) co_return http::Response{};
    Result<http::Response> next = std::move(answers.front());
    answers.pop_front();
    co_return next;
  }
};

TEST(SpanExporter, TriesAgainWithLongerPausesAndThenDropsAndCounts) {
  Exporting test;
  test.request();
  for (int i = 0; i < 4; ++i) {
    test.answers.push_back(fail(ErrorKind::kRefused, "collector", "nobody listens"));
  }
  test.pass(milliseconds(1100));
  EXPECT_EQ(test.pauses, (std::vector<Duration>{seconds(1), seconds(2), seconds(4)}));
  EXPECT_EQ(test.bodies.size(), 4U);
  EXPECT_EQ(test.exporter.counters().failures, 4U);
  EXPECT_EQ(test.exporter.counters().failed, 1U);
  EXPECT_EQ(test.exporter.counters().exported, 0U);
  test.request();
  test.pass(milliseconds(1100));
  EXPECT_EQ(test.exporter.counters().exported, 1U);
}

TEST(SpanExporter, TriesAgainOnlyAfterStatusThatAskForIt) {
  for (const auto& [status, tries] : std::vector<std::pair<int, std::size_t>>{
           {429, 2}, {502, 2}, {503, 2}, {504, 2}, {400, 1}, {404, 1}, {500, 1}, {301, 1}}) {
    Exporting test;
    test.request();
    test.answers.push_back(response(status));
    test.pass(milliseconds(1100));
    EXPECT_EQ(test.bodies.size(), tries) << status;
    EXPECT_EQ(test.exporter.counters().failed, tries == 1 ? 1U : 0U) << status;
  }
}

TEST(SpanExporter, CountsSpansThatTheCollectorRejects) {
  Exporting test;
  test.request();
  test.request();
  test.answers.push_back(response(200, R"({"partialSuccess":{"rejectedSpans":"1"}})"));
  test.pass(milliseconds(1100));
  EXPECT_EQ(test.bodies.size(), 1U);
  EXPECT_EQ(test.exporter.counters().exported, 1U);
  EXPECT_EQ(test.exporter.counters().failed, 1U);
}

TEST(SpanExporter, LetsRequestsPassAndDropsSpansWhileItsCollectorIsSilent) {
  Exporting test;
  test.is_silent = true;
  test.request();
  test.pass(milliseconds(1100));
  ASSERT_EQ(test.bodies.size(), 1U);
  for (std::size_t i = 0; i < SpanBatch::kMaxSpans + 3; ++i) test.request();
  test.pass(seconds(5));
  EXPECT_EQ(test.bodies.size(), 1U) << "one POST at a time";
  EXPECT_EQ(test.exporter.counters().overflowed, 3U);
  test.stop(milliseconds(1));
  EXPECT_EQ(test.exporter.counters().exported, 0U);
}

TEST(SpanExporter, SendsManyAtOnce) {
  Exporting test;
  for (std::size_t i = 0; i < SpanBatch::kEnough; ++i) test.request();
  ASSERT_TRUE(test.world.until([&] { return !test.bodies.empty(); }));
  EXPECT_EQ(test.exporter.counters().exported, SpanBatch::kEnough);
}

TEST(SpanExporter, SendsTheRestAtTheEndOnce) {
  Exporting test;
  test.request();
  test.answers.push_back(response(503));
  test.stop(seconds(10));
  EXPECT_EQ(test.bodies.size(), 1U);
  EXPECT_EQ(test.exporter.counters().failed, 1U);
  Exporting good;
  good.request();
  good.stop(seconds(10));
  EXPECT_EQ(good.exporter.counters().exported, 1U);
}

TEST(Collector, GetsAPostOfJson) {
  http::net::io_context io;
  std::string head;
  const test::ScriptedServer server(io, [&head](test::RawPeer& peer) -> http::Awaitable<void> {
    head = co_await peer.read_until("\r\n\r\n{}");
    (void)co_await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  });
  const SpanExporterWorld world = collector_at(server.endpoint(), "/v1/traces");
  const Result<http::Response> response =
      test::run_task<Result<http::Response>>(io, [&] { return world.post("{}"); });
  ASSERT_TRUE(response) << to_string(response.error());
  EXPECT_EQ(response->status, 200);
  EXPECT_TRUE(head.starts_with("POST /v1/traces HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("Content-Type: application/json\r\n"), std::string::npos) << head;
}

}  // namespace
}  // namespace bellows::proxy
