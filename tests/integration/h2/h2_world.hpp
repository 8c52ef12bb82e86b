// One or both sides of HTTP/2 over a connection in memory, with the time by hand.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/h2/core/error_code.hpp"
#include "http/h2/core/preface.hpp"
#include "http/h2/io/client_connection.hpp"
#include "http/h2/io/server_connection.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/h2/memory_connection.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::http2 {

using ConnectionPtr = std::unique_ptr<http::Connection>;
using Kind = http::IoResult::Kind;
using test::block;
using test::FieldPairs;
using test::frame;
using test::headers;
using test::kGetFields;
using test::kPostFields;
using test::number;
using test::plus;

/// All that can be read now.
inline const std::string kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

inline std::string read_now(http::Connection& from, std::size_t piece = 16'384) {
  std::string all;
  std::string buffer(piece, '\0');
  for (;;) {
    const http::IoResult got = from.try_read(buffer.data(), buffer.size());
    if (got.kind != Kind::kBytes) return all;
    all.append(buffer, 0, got.bytes);
  }
}

/// How a read ends now.
inline Kind read_kind(http::Connection& from) {
  char byte = 0;
  return from.try_read(&byte, 1).kind;
}

/// Of the i-th request.
inline std::uint32_t id(int i) {
  return static_cast<std::uint32_t>(2 * i + 1);
}

inline std::string times(int count, const std::function<std::string(int)>& piece) {
  std::string all;
  for (int i = 0; i < count; ++i) all += piece(i);
  return all;
}

/// A field of 4,000 bytes into the table (RFC 7541 6.2.1), then only its index: 4 KB of fields a
/// byte.
inline std::string growing_head(int references) {
  return block(kGetFields) + '\x40' + test::hpack_string("a") +
         test::hpack_string(std::string(4'000, 'x')) +
         std::string(static_cast<std::size_t>(references), '\xbe');
}

struct H2World {
  http::net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  http::Reactor reactor{io, clock};
  Limits limits;
  AbuseCounters counters;
  test::Faults faults;
  std::size_t capacity = std::size_t{1} << 30U;

  std::unique_ptr<ServerConnection> server;
  std::unique_ptr<ClientConnection> client;
  std::unique_ptr<test::MemoryConnection> raw;  ///< the other end, if the test plays it
  std::vector<ConnectionPtr> streams;           ///< of the server
  int given = 0;                                ///< streams of the server so far
  Duration per_request{};                       ///< that the server's owner takes to begin one
  bool has_server_ended = false;
  int changes = 0;

  void start_server(std::unique_ptr<test::MemoryConnection> transport,
                    std::string_view already_read = {}) {
    server = std::make_unique<ServerConnection>(
        reactor, std::move(transport), already_read, limits, counters, "peer",
        [this](ConnectionPtr stream) {
          streams.push_back(std::move(stream));
          ++given;
          clock.advance(per_request);
        },
        [this] { has_server_ended = true; });
  }
  void start_client(std::unique_ptr<test::MemoryConnection> transport) {
    client = std::make_unique<ClientConnection>(reactor, std::move(transport), "http", limits,
                                                counters, "peer", [this] { ++changes; });
  }
  void start_both() {
    auto [a, b] = test::MemoryConnection::make_pair(faults, capacity);
    start_server(std::move(a));
    start_client(std::move(b));
    settle();
  }
  void start_raw_server() {
    auto [a, b] = test::MemoryConnection::make_pair(faults, capacity);
    start_server(std::move(a));
    raw = std::move(b);
  }
  void start_raw_client() {
    auto [a, b] = test::MemoryConnection::make_pair(faults, capacity);
    start_client(std::move(a));
    raw = std::move(b);
  }

  /// Until nothing more happens.
  void settle() {
    while (io.poll() != 0) {
    }
  }
  void pass(Duration time) {
    clock.advance(time);
    reactor.tick();
    settle();
  }

  /// Of a test that plays the client.
  void say(std::string_view bytes) {
    raw->try_write(bytes);
    settle();
  }
  /// The preface and empty SETTINGS, as a client begins.
  void greet() { say(std::string(kPreface) + test::frame(test::kSettings, 0, 0)); }
  std::vector<test::Frame> heard() {
    heard_bytes += read_now(*raw);
    return test::frames_of(heard_bytes);
  }
  /// The first frame of that kind, on that stream; its type is 255 if there is none.
  test::Frame first(std::uint8_t type, std::uint32_t stream) {
    for (const test::Frame& frame : heard()) {
      if (frame.type == type && frame.stream == stream) return frame;
    }
    return {.type = 255, .flags = 0, .stream = 0, .payload = {}};
  }
  bool has(std::uint8_t type, std::uint32_t stream) { return first(type, stream).type == type; }
  std::string heard_bytes;
};

}  // namespace bellows::http2
