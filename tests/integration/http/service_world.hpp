// What the tests of the service side's server have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/service_server.hpp"
#include "tests/support/raw_peer.hpp"

namespace bellows::http {

inline const Endpoint kLoopback{.host = "127.0.0.1", .port = 0, .unix_path = {}};

inline TimePoint in(Duration duration) {
  return sys::system_clock().now() + duration;
}

/// Log lines of the running test.
inline std::vector<std::string> log_lines;
inline void keep_line(std::string_view line) {
  log_lines.emplace_back(line);
}

class ServiceServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_lines.clear();
    sys::log::set_sink(keep_line);
  }
  void TearDown() override { sys::log::set_sink(nullptr); }
};

inline Handler says(std::string text) {
  return [text = std::move(text)](Request) -> Awaitable<Response> {
    Response response;
    response.body = text;
    co_return response;
  };
}

/// Echoes the request.
inline Awaitable<Response> mirror(Request request) {
  Response response;
  response.body =
      request.method + " " + request.path + " ? " + request.query + " | " + request.body;
  co_return response;
}

/// Sends `bytes` on a new connection; returns all that was received until the server closed.
inline Awaitable<std::string> conversation(Endpoint endpoint, std::string bytes) {
  test::RawPeer peer = co_await test::RawPeer::connect(std::move(endpoint));
  co_await peer.send(bytes);
  co_return co_await peer.read_to_end();
}

}  // namespace bellows::http
