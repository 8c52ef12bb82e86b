// What a program's pages tell by TCP and what by a Unix socket.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "http/io/client.hpp"
#include "http/io/event_feed.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::http {
namespace {

using test::run_task;
using Details = AccessRules::Details;

void drop_secret(std::string& text) {
  const std::size_t at = text.find("secret");
  if (at != std::string::npos) text.replace(at, 6, "-");
}

class Secret final : public EventFeed {
 public:
  std::string next() override { return "data: secret\n\n"; }
};

/// The paths of a server that has a secret.
void add_routes(ServiceServer& server) {
  server.route("GET", "/page", says("a secret"));
  server.route("GET", "/may", [](Request request) -> Awaitable<Response> {
    Response response;
    response.body = request.may_see_detail ? "yes" : "no";
    co_return response;
  });
  server.events("/events", [](const Request&) { return std::make_unique<Secret>(); });
}

Awaitable<std::string> first_event(Endpoint endpoint) {
  test::RawPeer peer = co_await test::RawPeer::connect(std::move(endpoint));
  co_await peer.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  co_await peer.read_until("\r\n\r\n");
  co_return co_await peer.read_until("\n\n");
}

struct Told {
  std::string page;
  std::string may;
  std::string event;
  bool operator==(const Told&) const = default;
};

Awaitable<Told> told(Endpoint endpoint) {
  Told all;
  all.page = (co_await fetch(endpoint, "GET", "/page")).value().body;
  all.may = (co_await fetch(endpoint, "GET", "/may")).value().body;
  all.event = co_await first_event(endpoint);
  co_return all;
}

TEST_F(ServiceServerTest, DetailsAreToldByAUnixSocketAndByTcpIfTheRulesSaySo) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    const Told whole{"a secret", "yes", "data: secret\n\n"};
    const Told less{"a -", "no", "data: -\n\n"};
    for (const Details details : {Details::kToUnixSockets, Details::kToAll}) {
      ServiceServer server(io,
                           {.access = AccessRules{.details = details}, .withhold = drop_secret});
      add_routes(server);
      const Endpoint port = server.listen(kLoopback).value();
      const Endpoint socket =
          server.listen({.host = {}, .port = 0, .unix_path = folder.path("s")}).value();
      const Told by_tcp = co_await told(port);
      const Told by_socket = co_await told(socket);
      EXPECT_EQ(by_tcp, details == Details::kToAll ? whole : less);
      EXPECT_EQ(by_socket, whole);
      co_await server.stop(in(std::chrono::seconds(30)));
    }
  });
}

TEST_F(ServiceServerTest, WithoutRulesAllIsTold) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    ServiceServer server(io, {.access = std::nullopt, .withhold = drop_secret});
    add_routes(server);
    const Told all = co_await told(server.listen(kLoopback).value());
    EXPECT_EQ(all, (Told{"a secret", "yes", "data: secret\n\n"}));
  });
}

}  // namespace
}  // namespace bellows::http
