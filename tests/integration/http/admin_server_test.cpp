#include "http/io/admin_server.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "http/io/client.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using test::run_task;

TEST(AdminPages, AliveWhateverTheReadiness) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io);
    AdminPages pages;
    pages.readiness = [] { return Readiness{.is_ready = false, .reason = "draining"}; };
    pages.metrics = [] { return std::string(); };
    add_admin_pages(server, std::move(pages));
    const Endpoint endpoint = server.listen(kLoopback).value();
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/healthz")).value().status, 200);
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/livez")).value().body, "ok\n");
  });
}

TEST(AdminPages, ReadinessIsEvaluatedEachTimeWithItsReason) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io);
    Readiness readiness{.is_ready = false, .reason = "the app does not listen on port 8080"};
    AdminPages pages;
    pages.readiness = [&readiness] { return readiness; };
    pages.metrics = [] { return std::string(); };
    add_admin_pages(server, std::move(pages));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const Response not_ready = (co_await fetch(endpoint, "GET", "/readyz")).value();
    EXPECT_EQ(not_ready.status, 503);
    EXPECT_EQ(not_ready.body, "not ready: the app does not listen on port 8080\n");
    readiness = {.is_ready = true, .reason = {}};
    const Response ready = (co_await fetch(endpoint, "GET", "/readyz")).value();
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.body, "ready\n");
  });
}

TEST(AdminPages, MetricsAreServedAsPrometheusText) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io);
    AdminPages pages;
    pages.readiness = [] { return Readiness{.is_ready = true, .reason = {}}; };
    pages.metrics = [] { return std::string("stats_received_total 7\n"); };
    add_admin_pages(server, std::move(pages));
    const Endpoint endpoint = server.listen(kLoopback).value();
    const Response response = (co_await fetch(endpoint, "GET", "/metrics")).value();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "stats_received_total 7\n");
    EXPECT_TRUE(response.content_type.starts_with("text/plain; version=0.0.4"));
  });
}

TEST(AdminPages, AreServedHoweverManyConnectionsAreIdle) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, admin_port_limits());
    AdminPages pages;
    pages.readiness = [] { return Readiness{.is_ready = true, .reason = {}}; };
    pages.metrics = [] { return std::string("up 1\n"); };
    add_admin_pages(server, std::move(pages));
    const Endpoint endpoint = server.listen(kLoopback).value();
    std::vector<test::RawPeer> silent;
    for (int i = 0; i < 200; ++i) silent.push_back(co_await test::RawPeer::connect(endpoint));
    EXPECT_EQ((co_await fetch(endpoint, "GET", "/metrics")).value().body, "up 1\n");
    for (std::size_t i = 0; i < 200 - 64; ++i) EXPECT_EQ(co_await silent[i].read_to_end(), "");
  });
}

}  // namespace
}  // namespace bellows::http
