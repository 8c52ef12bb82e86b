#include "http/io/event_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "http/io/service_server.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using test::RawPeer;
using test::run_task;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view kAsk = "GET /events?service=web HTTP/1.1\r\nHost: x\r\n\r\n";

/// How often feeds were asked, and how many there are.
struct Seen {
  int asked = 0;
  int open = 0;
};

class Counting final : public EventFeed {
 public:
  Counting(Seen& seen, std::string name) : seen_(seen), name_(std::move(name)) { ++seen_.open; }
  ~Counting() override { --seen_.open; }
  std::string next() override {
    std::string text;
    append_event("count", name_ + " " + std::to_string(++seen_.asked), text);
    return text;
  }

 private:
  Seen& seen_;
  std::string name_;
};

EventSource counting(Seen& seen, int most = 100) {
  return [&seen, most](const Request& request) -> std::unique_ptr<EventFeed> {
    if (seen.open >= most) return nullptr;
    return std::make_unique<Counting>(seen, request.parameter("service"));
  };
}

/// Until the feeds of clients that have left are gone.
Awaitable<void> until_closed(const Seen& seen) {
  while (seen.open > 0) co_await sleep_for(5ms);
}

TEST_F(ServiceServerTest, EventsAreToldOneAfterTheOtherAndEndWithTheirClient) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Seen seen;
    server.events("/events", counting(seen));
    const Endpoint endpoint = server.listen(kLoopback).value();
    {
      RawPeer peer = co_await RawPeer::connect(endpoint);
      co_await peer.send(kAsk);
      const std::string head = co_await peer.read_until("\r\n\r\n");
      EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
      EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n"));
      const std::string first = co_await peer.read_until("\n\n");
      const std::string second = co_await peer.read_until("\n\n");
      EXPECT_EQ(first, "event: count\ndata: web 1\n\n");
      EXPECT_EQ(second, "event: count\ndata: web 2\n\n");
    }
    co_await until_closed(seen);
    EXPECT_LE(seen.asked, 3) << "a feed is asked once a second";
  });
}

TEST_F(ServiceServerTest, AServerThatStopsDoesNotWaitForStreamsOfEvents) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Seen seen;
    server.events("/events", counting(seen));
    RawPeer peer = co_await RawPeer::connect(server.listen(kLoopback).value());
    co_await peer.send(kAsk);
    co_await peer.read_until("\n\n");
    const TimePoint begin = sys::system_clock().now();
    co_await server.stop(in(30s));
    EXPECT_LT(sys::system_clock().now() - begin, 20s);
    EXPECT_EQ(seen.open, 0);
  });
}

TEST_F(ServiceServerTest, AStreamMakesRoomForAnotherConnectionAtTheLimit) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_connections = 1, .access = std::nullopt});
    Seen seen;
    server.events("/events", counting(seen));
    server.route("GET", "/metrics", says("numbers"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    RawPeer peer = co_await RawPeer::connect(endpoint);
    co_await peer.send(kAsk);
    co_await peer.read_until("\n\n");
    EXPECT_THAT(co_await conversation(
                    endpoint, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
                HasSubstr("numbers"));
    EXPECT_EQ(seen.open, 0);
  });
}

TEST_F(ServiceServerTest, TooManyStreamsAreRefusedAndOtherMethodsToo) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Seen seen;
    server.events("/events", counting(seen, 1));
    const Endpoint endpoint = server.listen(kLoopback).value();
    RawPeer peer = co_await RawPeer::connect(endpoint);
    co_await peer.send(kAsk);
    co_await peer.read_until("\n\n");
    EXPECT_THAT(co_await conversation(endpoint, std::string(kAsk)), HasSubstr("HTTP/1.1 503 "));
    EXPECT_THAT(co_await conversation(
                    endpoint, "HEAD /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
                HasSubstr("HTTP/1.1 405 "));
  });
}

TEST_F(ServiceServerTest, AClientThatTalksIntoItsStreamIsDisconnected) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    Seen seen;
    server.events("/events", counting(seen));
    RawPeer peer = co_await RawPeer::connect(server.listen(kLoopback).value());
    co_await peer.send(kAsk);
    co_await peer.read_until("\n\n");
    co_await peer.send("and another thing");
    co_await peer.read_to_end();
    EXPECT_EQ(seen.open, 0);
  });
}

}  // namespace
}  // namespace bellows::http
