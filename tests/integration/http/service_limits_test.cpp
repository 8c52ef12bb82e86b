// The limits of the service side's server: bodies, headers, connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "http/io/client.hpp"
#include "http/io/event.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using test::RawPeer;
using test::run_task;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

using ServiceLimitsTest = ServiceServerTest;

TEST_F(ServiceLimitsTest, ABodyWithoutAHandlerIsNotRead) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt});
    server.route("GET", "/page", says("ok"));
    server.websocket("/stats", [](std::unique_ptr<WebSocket>) -> Awaitable<void> { co_return; });
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string announced = " HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nbegin";
    EXPECT_THAT(co_await conversation(endpoint, "POST /nowhere" + announced),
                AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Connection: close\r\n")));
    EXPECT_THAT(co_await conversation(endpoint, "POST /page" + announced),
                StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(co_await conversation(endpoint, "POST /stats" + announced),
                StartsWith("HTTP/1.1 426 "));
    const std::string asking =
        "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    EXPECT_THAT(co_await conversation(endpoint, asking), StartsWith("HTTP/1.1 404 "));
    // Without a body the connection takes further requests.
    const std::string seen =
        co_await conversation(endpoint,
                              "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
                              "GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(seen, AllOf(StartsWith("HTTP/1.1 404 "), EndsWith("\r\n\r\nok")));
  });
}

TEST_F(ServiceLimitsTest, NewConnectionAtLimitEvictsTheLongestIdle) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_connections = 2, .access = std::nullopt});
    server.route("GET", "/", says("ok"));
    server.route("POST", "/", mirror);
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    RawPeer scraper = co_await RawPeer::connect(endpoint);
    co_await scraper.send(get);
    co_await scraper.read_until("\r\n\r\nok");
    RawPeer slow = co_await RawPeer::connect(endpoint);
    co_await slow.send(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
    co_await slow.read_until("100 Continue\r\n\r\n");
    co_await scraper.send(get);
    co_await scraper.read_until("\r\n\r\nok");
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/")).value().body, "ok");
    EXPECT_EQ(co_await slow.read_to_end(), "");
    co_await scraper.send(get);
    co_await scraper.read_until("\r\n\r\nok");
  });
}

TEST_F(ServiceLimitsTest, WhileAllConnectionsRunAHandlerANewOneWaits) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_connections = 1, .access = std::nullopt});
    Event release(io);
    Event entered(io);
    server.route("GET", "/", [&](Request) -> Awaitable<Response> {
      entered.set();
      co_await release.wait();
      Response response;
      response.body = "finished";
      co_return response;
    });
    server.route("GET", "/metrics", says("ok"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    ServiceServer other(io, {.access = std::nullopt});
    other.route("GET", "/", says("came later"));
    const Endpoint elsewhere = other.listen(kLoopback).value();
    RawPeer busy = co_await RawPeer::connect(endpoint);
    co_await busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await entered.wait();
    RawPeer next = co_await RawPeer::connect(endpoint);
    co_await next.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ((co_await fetch(elsewhere, "GET", "/")).value().body, "came later");
    EXPECT_EQ(next.socket().available(), 0U);
    release.set();
    EXPECT_THAT(co_await busy.read_until("finished"), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(co_await next.read_until("\r\n\r\nok"), StartsWith("HTTP/1.1 200 "));
  });
}

TEST_F(ServiceLimitsTest, StopDoesNotWaitForAConnectionThatWaitsForRoom) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_connections = 0, .access = std::nullopt});
    RawPeer waiting = co_await RawPeer::connect(server.listen(kLoopback).value());
    // A later connection in the same loop is served: by then the first has been accepted.
    ServiceServer later(io, {.access = std::nullopt});
    const Endpoint elsewhere = later.listen(kLoopback).value();
    EXPECT_EQ((co_await fetch(elsewhere, "GET", "/")).value().status, 404);
    co_await later.stop(in(5s));
    co_await server.stop(in(5s));
    EXPECT_EQ(co_await waiting.read_to_end(), "");
    EXPECT_TRUE(log_lines.empty()) << log_lines.front();
  });
}

TEST_F(ServiceLimitsTest, A413ArrivesAlthoughTheRestOfTheBodyIsNotRead) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_body_bytes = 1000, .access = std::nullopt});
    server.route("POST", "/", mirror);
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string announced =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'a');
    EXPECT_THAT(co_await conversation(endpoint, announced), StartsWith("HTTP/1.1 413 "));
    const std::string chunked =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" +
        std::string(100000, 'a') + "\r\n0\r\n\r\n";
    EXPECT_THAT(co_await conversation(endpoint, chunked), StartsWith("HTTP/1.1 413 "));
    EXPECT_EQ((co_await fetch(endpoint, "POST", "/", std::string(1000, 'a'))).value().status, 200);
  });
}

TEST_F(ServiceLimitsTest, AHeaderOverTheLimitIsA431) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.max_header_bytes = 500, .access = std::nullopt});
    server.route("GET", "/", says("ok"));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const std::string seen = co_await conversation(
        endpoint, "GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(5000, 'a') + "\r\n\r\n");
    EXPECT_THAT(seen, StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(seen, HasSubstr("over the limit of 500 bytes"));
  });
}

}  // namespace
}  // namespace bellows::http
