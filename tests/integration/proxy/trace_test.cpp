// A request's trace on its way through a proxy, with and without an exporter.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proxy/io/observers.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kTraceparent = "traceparent: 00-" + kTrace + "-00f067aa0ba902b7-01\r\n";
const std::string kGetTraced = "GET /a HTTP/1.1\r\nHost: a\r\n" + kTraceparent + "\r\n";

ProxyServerOptions traced(bool records) {
  ProxyServerOptions options = full_detail();
  options.trace = TraceOptions{.sampling = 1, .records = records};
  return options;
}

/// A proxy whose collector is a list of bodies.
class Traced {
 public:
  explicit Traced(bool records = true)
      : world({.slots = 1, .queue = {.count = 100}}, traced(records)),
        exporter(world.reactor, {.service = "proxy", .instance = "p-1"},
                 {.post = [this](std::string body) -> http::Awaitable<Result<http::Response>> {
                    bodies.push_back(std::move(body));
                    co_return http::Response{};
                  },
                  .sleep = http::sleep_for}) {
    world.server.set_observer(observer_of(nullptr, &exporter));
  }

  /// And what that starts runs.
  void pass(Duration duration) {
    world.pass(duration);
    for (int turn = 0; turn < 20; ++turn) world.io.poll();
  }
  /// What the app gets of one request.
  std::string relayed(const std::string& request) {
    TestPeer caller = world.caller();
    EXPECT_TRUE(caller.say(request));
    TestPeer app = world.accept();
    EXPECT_TRUE(world.until([&] { return app.listen(), app.received().ends_with("\r\n\r\n"); }));
    const std::string received = app.received();
    EXPECT_TRUE(app.say(kOk));
    EXPECT_TRUE(world.hears(caller, kOk));
    return received;
  }

  ProxyWorld world;
  std::vector<std::string> bodies;
  SpanExporter exporter;
};

/// The app has received that many requests without bodies.
bool has_heads(ProxyWorld& world, TestPeer& app, std::size_t count) {
  return world.until([&] {
    app.listen();
    std::size_t found = 0;
    for (std::size_t at = 0; (at = app.received().find("\r\n\r\n", at)) != std::string::npos;
         at += 4) {
      ++found;
    }
    return found == count;
  });
}

TEST(TraceOfARequest, IsMadeAndHandedOn) {
  Traced traced(false);
  const std::string received = traced.relayed(kGet);
  const std::size_t line = received.find("\r\ntraceparent: 00-");
  ASSERT_NE(line, std::string::npos) << received;
  EXPECT_TRUE(received.ends_with("-01\r\n\r\n")) << received;
  EXPECT_EQ(traced.relayed(kGetTraced), kGetTraced);
  traced.pass(seconds(2));
  EXPECT_TRUE(traced.bodies.empty());
}

TEST(TraceOfARequest, IsAnotherOneForTheNextRequestOfAConnection) {
  Traced traced(false);
  TestPeer caller = traced.world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = traced.world.accept();
  ASSERT_TRUE(has_heads(traced.world, app, 1));
  const std::string first = app.received();
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(traced.world.hears(caller, kOk));
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(has_heads(traced.world, app, 2));
  const std::string second = app.received().substr(first.size());
  EXPECT_EQ(first.size(), second.size());
  EXPECT_NE(first, second);
}

TEST(SpanOfARequest, IsExportedASecondLaterAndIsTheParentOfTheApps) {
  Traced traced;
  const std::string received = traced.relayed(kGetTraced);
  const std::string before = "traceparent: 00-" + kTrace + "-";
  const std::size_t at = received.find(before);
  ASSERT_NE(at, std::string::npos) << received;
  const std::string span = received.substr(at + before.size(), 16);
  EXPECT_NE(span, "00f067aa0ba902b7");
  traced.pass(milliseconds(900));
  EXPECT_TRUE(traced.bodies.empty());
  traced.pass(milliseconds(200));
  ASSERT_EQ(traced.bodies.size(), 1U);
  const std::string& body = traced.bodies[0];
  EXPECT_NE(body.find(R"("traceId":")" + kTrace + R"(","spanId":")" + span +
                      R"(","parentSpanId":"00f067aa0ba902b7")"),
            std::string::npos)
      << body;
  EXPECT_NE(body.find(R"("service.instance.id","value":{"stringValue":"p-1"})"), std::string::npos);
  EXPECT_EQ(traced.exporter.counters().exported, 1U);
}

TEST(SpanOfARequest, HasItsTimeInTheQueue) {
  Traced traced;
  ProxyWorld& world = traced.world;
  TestPeer first = world.caller();
  ASSERT_TRUE(first.say(kGet));
  TestPeer app = world.accept();
  TestPeer second = world.caller();
  ASSERT_TRUE(second.say(kGet));
  ASSERT_TRUE(world.until([&] { return world.handler.limiter.breaker().waiting() == 1; }));
  world.pass(milliseconds(250));
  ASSERT_TRUE(has_heads(world, app, 1));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(has_heads(world, app, 2));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(second, kOk));
  traced.pass(milliseconds(1100));
  ASSERT_EQ(traced.bodies.size(), 1U);
  EXPECT_NE(traced.bodies[0].find(R"("bellows.queue_ms","value":{"doubleValue":250})"),
            std::string::npos)
      << traced.bodies[0];
}

TEST(SpanOfARequest, HasItsRetriesAndIsOneForAllTries) {
  Traced traced;
  ProxyWorld& world = traced.world;
  world.handler.tries = 2;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  world.accept().reset();
  TestPeer again = world.accept();
  ASSERT_TRUE(has_heads(world, again, 1));
  ASSERT_TRUE(again.say(kOk));
  ASSERT_TRUE(world.hears(caller, kOk));
  traced.pass(milliseconds(1100));
  ASSERT_EQ(traced.bodies.size(), 1U);
  const std::string& body = traced.bodies[0];
  EXPECT_NE(body.find(R"("bellows.retries","value":{"intValue":"1"})"), std::string::npos) << body;
  EXPECT_EQ(body.find("spanId"), body.rfind("spanId")) << body;
}

TEST(SpanOfARequest, IsNotExportedIfItIsNotSampled) {
  Traced traced;
  const std::string unsampled =
      "GET /a HTTP/1.1\r\nHost: a\r\ntraceparent: 00-" + kTrace + "-00f067aa0ba902b7-00\r\n\r\n";
  EXPECT_EQ(traced.relayed(unsampled), unsampled);
  traced.pass(seconds(2));
  EXPECT_TRUE(traced.bodies.empty());
}

}  // namespace
}  // namespace bellows::proxy
