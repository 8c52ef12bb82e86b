// A read of a WebSocket that is stopped, whatever it does at that moment.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "http/io/websocket.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using test::run_task;
using namespace std::chrono_literals;

Awaitable<void> read_to_end(std::unique_ptr<WebSocket> socket) {
  for (bool is_open = true; is_open;) {
    const Result<std::string> message = co_await socket->read();
    is_open = message.has_value();
  }
}

/// Runs so many handlers of the io_context while a client that is pinged reads; then stops the
/// client's read. Whether it ended.
bool ends_after(int handlers) {
  net::io_context io;
  ServiceServer server(io, {.websocket = {.ping_after = 1ms}});
  server.websocket("/stats", read_to_end);
  const Endpoint endpoint =
      server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  std::unique_ptr<WebSocket> client;
  run_task<void>(io, [&]() -> Awaitable<void> {
    client = std::move(co_await connect_websocket(endpoint, "/stats")).value();
  });
  TaskGroup reading(io);
  reading.spawn("read", [&]() -> Awaitable<void> { co_await client->read(); });
  io.restart();
  for (int handler = 0; handler < handlers; ++handler) io.run_one();
  return run_task<bool>(io, [&]() -> Awaitable<bool> {
    reading.stop();
    const Result<void> ended = co_await reading.join(in(5s));
    client.reset();
    co_await server.stop(in(5s));
    co_return ended.has_value();
  });
}

// Beast's read answers a ping by a write of its own, so a cancellation may come at any point of it.
TEST(WebSocket, AReadThatIsStoppedAtAnyMomentOfAPingEnds) {
  constexpr int kMoments = 60;  // a ping and its pong take about ten handlers
  for (int handlers = 0; handlers < kMoments; ++handlers) {
    EXPECT_TRUE(ends_after(handlers)) << handlers << " handlers";
  }
}

}  // namespace
}  // namespace bellows::http
