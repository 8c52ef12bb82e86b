// The same small relay twice, on Asio's sockets and coroutines and on the reactor of the data path,
// so that docs/decisions/event-loop.md has a number: each connection has one of its own to the
// upstream, a message is read by the same head reader, goes on from the same buffer, and each
// request has a deadline. Everything else of a proxy is left out. See bench/README.md.
//   relay_bench asio|reactor [LISTEN [UPSTREAM]]
#include <array>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <list>
#include <memory>
#include <string_view>

#include "http/core/framing.hpp"
#include "http/core/head.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/listener.hpp"
#include "http/io/resolve.hpp"
#include "http/io/socket_connection.hpp"
#include "http/io/socket_deadline.hpp"

namespace {

using namespace bellows;  // NOLINT: a program of one page

constexpr Duration kTimeout = std::chrono::seconds(60);
constexpr std::size_t kBufferSize = 16 * 1024;

http::BodyFraming body_of(const http::RequestHead& head) {
  return http::request_body(head);
}
http::BodyFraming body_of(const http::ResponseHead& head) {
  return http::response_body(head, "GET");
}

/// What both relays know of a message under way.
template <class Head>
struct Message {
  std::array<char, kBufferSize> buffer;  // NOLINT: filled by reads
  std::size_t used = 0;
  http::HeadParser parser{http::HeadLimits{.total = kBufferSize}};
  Head head;

  /// Bytes of the whole message; nullopt until its head is complete, or if it has none that fits.
  std::optional<std::uint64_t> size() {
    if (!parser.read({buffer.data(), used}, head).is_complete()) return std::nullopt;
    return head.size + body_of(head).length;
  }
};

// On Asio.

/// False once a side is gone.
template <class Head>
http::Awaitable<bool> pass_on(http::StreamSocket& from, http::StreamSocket& to,
                              Message<Head>& message) {
  boost::system::error_code error;
  message.used = 0;
  message.parser.reset();
  std::optional<std::uint64_t> left;
  while (!left) {
    const std::size_t got = co_await from.async_read_some(
        http::net::buffer(message.buffer.data() + message.used, kBufferSize - message.used),
        http::awaiting(error));
    if (error) co_return false;
    message.used += got;
    left = message.size();
  }
  for (;;) {
    co_await http::net::async_write(to, http::net::buffer(message.buffer.data(), message.used),
                                    http::awaiting(error));
    if (error) co_return false;
    *left -= message.used;
    if (*left == 0) co_return true;
    message.used =
        co_await from.async_read_some(http::net::buffer(message.buffer), http::awaiting(error));
    if (error) co_return false;
  }
}

http::Awaitable<void> serve(http::StreamSocket downstream, http::SocketAddress upstream_address) {
  boost::system::error_code error;
  http::StreamSocket upstream(downstream.get_executor());
  const http::net::generic::stream_protocol::endpoint target(upstream_address.get(),
                                                             upstream_address.size);
  co_await upstream.async_connect(target, http::awaiting(error));
  http::set_no_delay(downstream.native_handle());
  http::set_no_delay(upstream.native_handle());
  const auto request = std::make_unique<Message<http::RequestHead>>();
  const auto response = std::make_unique<Message<http::ResponseHead>>();
  http::SocketDeadline deadline(downstream, sys::system_clock().now() + kTimeout);
  bool is_open = !error;
  while (is_open) {
    is_open = co_await pass_on(downstream, upstream, *request);
    if (!is_open) break;
    deadline.move_to(sys::system_clock().now() + kTimeout);
    is_open = co_await pass_on(upstream, downstream, *response);
  }
}

http::Awaitable<void> accept(http::net::io_context& io, http::BoundSocket bound,
                             http::SocketAddress upstream) {
  http::net::basic_socket_acceptor<http::net::generic::stream_protocol, http::Executor> acceptor(
      io, {upstream.storage.ss_family, 0}, bound.socket.release());
  for (;;) {
    http::StreamSocket socket(io);
    boost::system::error_code error;
    co_await acceptor.async_accept(socket, http::awaiting(error));
    if (!error) {
      http::net::co_spawn(io, serve(std::move(socket), upstream), http::net::detached);
    }
  }
}

// On the reactor.

class Session {
 public:
  Session(http::Reactor& reactor, sys::Descriptor socket, const http::SocketAddress& upstream)
      : reactor_(reactor),
        waiter_(reactor),
        downstream_(reactor, std::move(socket)),
        upstream_(reactor, connecting(upstream)) {
    downstream_.set_waiter(&waiter_);
    upstream_.set_waiter(&waiter_);
    upstream_.expect_connect();
    task_ = run();
    task_.start();
  }

  bool is_done() const { return task_.is_done(); }

 private:
  static sys::Descriptor connecting(const http::SocketAddress& address) {
    auto socket = http::open_socket(address, "upstream");
    if (!socket) return {};
    ::connect(socket->get(), address.get(), address.size);
    return std::move(*socket);
  }

  http::Task<void> run() {
    while (!upstream_.connect_ended()) co_await waiter_.wait();
    bool is_open = upstream_.connect_error() == 0;
    while (is_open) {
      is_open = co_await pass_on(downstream_, upstream_, request_);
      if (!is_open) break;
      waiter_.set_deadline(reactor_.now() + kTimeout);
      is_open = co_await pass_on(upstream_, downstream_, response_);
    }
    downstream_.close();
    upstream_.close();
  }

  template <class Head>
  http::Task<bool> pass_on(http::Connection& from, http::Connection& to, Message<Head>& message) {
    message.used = 0;
    message.parser.reset();
    std::optional<std::uint64_t> left;
    while (!left) {
      const std::size_t got =
          co_await read(from, message.buffer.data() + message.used, kBufferSize - message.used);
      if (got == 0) co_return false;
      message.used += got;
      left = message.size();
    }
    for (;;) {
      const bool is_sent = co_await write(to, {message.buffer.data(), message.used});
      if (!is_sent) co_return false;
      *left -= message.used;
      if (*left == 0) co_return true;
      message.used = co_await read(from, message.buffer.data(), kBufferSize);
      if (message.used == 0) co_return false;
    }
  }

  http::Task<std::size_t> read(http::Connection& from, char* data, std::size_t size) {
    for (;;) {
      const http::IoResult got = from.try_read(data, size);
      if (got.kind == http::IoResult::Kind::kBytes) co_return got.bytes;
      if (got.kind != http::IoResult::Kind::kWouldBlock || waiter_.is_overdue()) co_return 0;
      co_await waiter_.wait();
    }
  }

  http::Task<bool> write(http::Connection& to, std::string_view bytes) {
    for (;;) {
      const http::IoResult sent = to.try_write(bytes);
      if (sent.kind == http::IoResult::Kind::kFailed || waiter_.is_overdue()) co_return false;
      bytes.remove_prefix(sent.bytes);
      if (bytes.empty()) co_return true;
      co_await waiter_.wait();
    }
  }

  http::Reactor& reactor_;
  http::Waiter waiter_;
  http::SocketConnection downstream_;
  http::SocketConnection upstream_;
  Message<http::RequestHead> request_;
  Message<http::ResponseHead> response_;
  http::Task<void> task_;
};

int fail_with(const Error& error) {
  std::fprintf(stderr, "%s\n", to_string(error).c_str());
  return 1;
}

int run_asio(const Endpoint& listen_at, const http::SocketAddress& upstream) {
  http::net::io_context io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
  auto bound = http::bind_and_listen(listen_at, 0600);
  if (!bound) return fail_with(bound.error());
  http::net::co_spawn(io, accept(io, std::move(*bound), upstream), http::net::detached);
  io.run();
  return 0;
}

int run_reactor(const Endpoint& listen_at, const http::SocketAddress& upstream) {
  http::net::io_context io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
  http::Reactor reactor(io);
  std::list<Session> sessions;
  const auto listener =
      http::Listener::listen(reactor, listen_at, [&](sys::Descriptor socket, const auto&) {
        sessions.remove_if([](const Session& session) { return session.is_done(); });
        sessions.emplace_back(reactor, std::move(socket), upstream);
      });
  if (!listener) return fail_with(listener.error());
  io.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "";
  const auto listen_at = parse_endpoint(argc > 2 ? argv[2] : "127.0.0.1:8012");
  const auto upstream = parse_endpoint(argc > 3 ? argv[3] : "127.0.0.1:9000");
  const auto address = upstream ? http::literal_address(*upstream) : std::nullopt;
  if (!listen_at || !address || (kind != "asio" && kind != "reactor")) return 2;
  return kind == "asio" ? run_asio(*listen_at, *address) : run_reactor(*listen_at, *address);
}
