// The other side of a connection, byte by byte: sends anything, also what is invalid, and returns
// exactly what it received.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/sys/clock.hpp"
#include "http/io/address.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/connect.hpp"
#include "http/io/net.hpp"
#include "http/io/task_group.hpp"

namespace bellows::test {

/// One connection. Every wait ends at the latest with the test's timeout.
class RawPeer {
 public:
  explicit RawPeer(http::StreamSocket socket) : socket_(std::move(socket)) {}

  static http::Awaitable<RawPeer> connect(Endpoint endpoint) {
    auto socket = co_await http::connect_to(std::move(endpoint),
                                            sys::system_clock().now() + std::chrono::minutes(1));
    if (!socket) throw std::runtime_error(to_string(socket.error()));
    co_return RawPeer(std::move(*socket));
  }

  /// False if the other side is gone.
  http::Awaitable<bool> send(std::string_view bytes) {
    boost::system::error_code error;
    co_await http::net::async_write(socket_, http::net::buffer(bytes), http::awaiting(error));
    co_return !error;
  }

  /// Everything until the other side ends the connection (or resets it).
  http::Awaitable<std::string> read_to_end() {
    bool is_open = true;  // g++ 12 miscompiles "while (co_await read_more()) {}"
    while (is_open) is_open = co_await read_more();
    co_return std::move(received_);
  }

  /// Everything up to and including `mark`; std::runtime_error if it does not come.
  http::Awaitable<std::string> read_until(std::string mark) {
    std::size_t found = 0;
    while ((found = received_.find(mark)) == std::string::npos) {
      if (!co_await read_more()) throw std::runtime_error("closed after \"" + received_ + "\"");
    }
    std::string before = received_.substr(0, found + mark.size());
    received_.erase(0, found + mark.size());
    co_return before;
  }

  /// Exactly `count` bytes.
  http::Awaitable<std::string> read_exactly(std::size_t count) {
    while (received_.size() < count) {
      if (!co_await read_more()) throw std::runtime_error("closed after \"" + received_ + "\"");
    }
    std::string bytes = received_.substr(0, count);
    received_.erase(0, count);
    co_return bytes;
  }

  void close() { socket_.close(); }
  http::StreamSocket& socket() { return socket_; }

 private:
  http::Awaitable<bool> read_more() {
    char bytes[4096];
    boost::system::error_code error;
    const std::size_t count =
        co_await socket_.async_read_some(http::net::buffer(bytes), http::awaiting(error));
    if (error == http::net::error::operation_aborted) throw boost::system::system_error(error);
    received_.append(bytes, count);
    co_return !error;
  }

  http::StreamSocket socket_;
  std::string received_;
};

/// Listens and runs `script` for each connection, for tests of clients.
class ScriptedServer {
 public:
  using Script = std::function<http::Awaitable<void>(RawPeer&)>;

  ScriptedServer(http::net::io_context& io, Script script,
                 const Endpoint& endpoint = {.host = "127.0.0.1", .port = 0, .unix_path = {}})
      : bound_(http::bind_and_listen(endpoint, 0600).value()),
        acceptor_(io, protocol_of(endpoint), bound_.socket.release()),
        script_(std::move(script)),
        tasks_(io) {
    tasks_.spawn("scripted server", [this]() -> http::Awaitable<void> {
      for (;;) {
        http::StreamSocket socket(acceptor_.get_executor());
        co_await acceptor_.async_accept(socket, http::net::use_awaitable_t<http::Executor>{});
        RawPeer peer(std::move(socket));
        co_await script_(peer);
      }
    });
  }

  const Endpoint& endpoint() const { return bound_.endpoint; }

 private:
  using Acceptor =
      http::net::basic_socket_acceptor<http::net::generic::stream_protocol, http::Executor>;

  static http::net::generic::stream_protocol protocol_of(const Endpoint& endpoint) {
    return {http::literal_address(endpoint)->storage.ss_family, 0};
  }

  http::BoundSocket bound_;
  Acceptor acceptor_;
  Script script_;
  http::TaskGroup tasks_;
};

}  // namespace bellows::test
