// A TLS connection that is cut or slow, at every byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <boost/asio/write.hpp>
#include <limits>

#include "http/io/client_connection.hpp"
#include "http/io/event.hpp"
#include "tests/integration/http/tls_world.hpp"
#include "tests/support/raw_peer.hpp"

namespace bellows::http {
namespace {

using test::run_task;
using test::TestCa;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// Passes bytes between a client and a server, and ends both after a number of bytes to the client.
class CuttingProxy {
 public:
  CuttingProxy(net::io_context& io, Endpoint server)
      : tasks_(io),
        front_(io, [this, server = std::move(server)](test::RawPeer& client) -> Awaitable<void> {
          co_await pass(client, server);
        }) {}

  const Endpoint& endpoint() const { return front_.endpoint(); }
  void cut_after(std::size_t bytes) {
    left_ = bytes;
    passed_ = 0;
  }
  std::size_t passed() const { return passed_; }

 private:
  Awaitable<void> pass(test::RawPeer& client, Endpoint server) {
    auto upstream = co_await connect_to(server, sys::system_clock().now() + 10s);
    const auto there = std::make_shared<StreamSocket>(std::move(upstream).value());
    const auto here = std::make_shared<StreamSocket>(std::move(client.socket()));
    tasks_.spawn("to the server", [this, here, there] { return copy(here, there, kAll); });
    co_await copy(there, here, left_);
  }

  Awaitable<void> copy(std::shared_ptr<StreamSocket> from, std::shared_ptr<StreamSocket> to,
                       std::size_t left) {
    const bool is_counted = left != kAll;
    char bytes[4096];
    boost::system::error_code error;
    while (!error && left > 0) {
      const std::size_t room = std::min(left, sizeof bytes);
      const std::size_t got =
          co_await from->async_read_some(net::buffer(bytes, room), awaiting(error));
      left -= got;
      if (is_counted) passed_ += got;
      if (got != 0) {
        co_await net::async_write(*to, net::buffer(bytes, got), awaiting(error));
      }
    }
    to->close(error);
    from->close(error);
  }

  TaskGroup tasks_;
  std::size_t left_ = 0;
  std::size_t passed_ = 0;
  test::ScriptedServer front_;
};

TEST(TlsFaults, AConnectionThatIsCutAtAnyByteIsAnErrorAndNeverAResponse) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const auto tls = client_tls(ca);
    const TlsServer server(io, server_tls(ca.sign_localhost()), std::string(300, 'b'));
    CuttingProxy proxy(io, server.endpoint);
    proxy.cut_after(1'000'000);
    EXPECT_TRUE((co_await fetch_by(tls, proxy.endpoint())).has_value());
    const std::size_t whole = proxy.passed();
    EXPECT_GT(whole, 1000U);
    int responses = 0;
    for (std::size_t bytes = 0; bytes + 60 < whole; ++bytes) {
      proxy.cut_after(bytes);
      const Result<Response> got = co_await fetch_by(tls, proxy.endpoint());
      if (got) {
        ++responses;
        continue;
      }
      EXPECT_EQ(got.error().kind(), ErrorKind::kReset) << bytes << to_string(got.error());
      EXPECT_EQ(got.error().culprit(), to_string(proxy.endpoint()));
    }
    EXPECT_EQ(responses, 0);
  });
}

TEST(TlsFaults, ABodyUntilTheCloseThatEndsWithoutCloseNotifyIsNotWhole) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const auto serving = server_tls(ca.sign_localhost());
    bool says_end = false;
    const test::ScriptedServer server(io, [&](test::RawPeer& peer) -> Awaitable<void> {
      ByteStream stream(std::move(peer.socket()), serving->start({}).value());
      EXPECT_TRUE((co_await stream.handshake("client")).has_value());
      char bytes[4096];
      boost::system::error_code error;
      co_await stream.async_read_some(net::buffer(bytes), awaiting(error));
      co_await write_all(stream, "HTTP/1.1 200 OK\r\n\r\nall there is");
      if (!says_end) stream.socket().close();  // only the FIN of TCP
    });
    const auto tls = client_tls(ca);
    const Result<Response> cut = co_await fetch_by(tls, server.endpoint());
    EXPECT_EQ(cut.error().kind(), ErrorKind::kReset);
    EXPECT_THAT(to_string(cut.error()), HasSubstr("closed the connection without ending TLS"));
    says_end = true;
    const Result<Response> whole = co_await fetch_by(tls, server.endpoint());
    EXPECT_EQ(whole.value().body, "all there is");
  });
}

TEST(TlsFaults, APeerThatIsSilentInTheHandshakeIsATimeout) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const test::ScriptedServer silent(
        io, [](test::RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    const auto tls = client_tls(ca);
    const Result<Response> got =
        co_await fetch(silent.endpoint(), "GET", "/", {}, {}, {.timeout = 50ms, .tls = tls.get()});
    EXPECT_EQ(got.error().kind(), ErrorKind::kTimeout);
    EXPECT_TRUE(got.error().may_retry());
    EXPECT_THAT(to_string(got.error()), HasSubstr("no TLS handshake in time"));
  });
}

TEST(TlsFaults, AServerThatNeverRespondsOverTlsIsATimeout) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const auto serving = server_tls(ca.sign_localhost());
    const test::ScriptedServer slow(io, [&](test::RawPeer& peer) -> Awaitable<void> {
      ByteStream stream(std::move(peer.socket()), serving->start({}).value());
      EXPECT_TRUE((co_await stream.handshake("client")).has_value());
      boost::system::error_code error;
      char bytes[4096];
      while (!error) co_await stream.async_read_some(net::buffer(bytes), awaiting(error));
    });
    const auto tls = client_tls(ca);
    const Result<Response> got =
        co_await fetch(slow.endpoint(), "GET", "/", {}, {}, {.timeout = 100ms, .tls = tls.get()});
    EXPECT_EQ(got.error().kind(), ErrorKind::kTimeout);
    EXPECT_THAT(to_string(got.error()), HasSubstr("no response to GET /"));
  });
}

TEST(ClientConnection, SeveralRequestsShareOneTlsConnection) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer server(io, server_tls(ca.sign_localhost()), std::string(50'000, 'b'));
    ClientConnectionOptions options;
    const auto tls = client_tls(ca);
    options.tls = tls.get();
    const auto connection =
        (co_await ClientConnection::open(server.endpoint, options, sys::system_clock().now() + 10s))
            .value();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(
          (co_await connection->send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")).has_value());
      const Result<Response> head = co_await connection->response().read_head("GET");
      EXPECT_EQ(head.value().status, 200);
      EXPECT_FALSE(connection->is_idle()) << "its body has not been read";
      std::size_t bytes = 0;
      for (;;) {
        const std::string_view chunk = (co_await connection->response().read_chunk()).value();
        if (chunk.empty()) break;
        bytes += chunk.size();
      }
      EXPECT_EQ(bytes, 50'000U);
      EXPECT_TRUE(connection->is_idle());
    }
  });
}

TEST(ClientConnection, APeerThatIsSilentIsGivenUpByTheKernelInTheGivenTime) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::ScriptedServer server(
        io, [](test::RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    ClientConnectionOptions options;
    options.dead_after = 45s;
    const auto connection = (co_await ClientConnection::open(server.endpoint(), options,
                                                             sys::system_clock().now() + 10s))
                                .value();
    const int fd = connection->socket().native_handle();
    const auto option = [fd](int level, int name) {
      int value = 0;
      socklen_t size = sizeof value;
      EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0);
      return value;
    };
    EXPECT_NE(option(SOL_SOCKET, SO_KEEPALIVE), 0);
    // Linux compares with it when it sends a probe: an interval later at the latest.
    EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT) + 1000 * option(IPPROTO_TCP, TCP_KEEPINTVL),
              45'000);
    const int seconds = option(IPPROTO_TCP, TCP_KEEPIDLE) +
                        option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT);
    EXPECT_LE(seconds, 45);
    EXPECT_GE(seconds, 30);
  });
}

TEST(ClientConnection, AChunkIsHandedOutBeforeTheNextOneArrives) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    Event second(io);
    const test::ScriptedServer server(io, [&](test::RawPeer& peer) -> Awaitable<void> {
      co_await peer.read_until("\r\n\r\n");
      co_await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
      co_await second.wait();
      co_await peer.send("6\r\nsecond\r\n0\r\n\r\n");
      co_await peer.read_to_end();
    });
    const auto connection =
        (co_await ClientConnection::open(server.endpoint(), {}, sys::system_clock().now() + 10s))
            .value();
    co_await connection->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE((co_await connection->response().read_head("GET")).has_value());
    EXPECT_EQ((co_await connection->response().read_chunk()).value(), "first");
    second.set();
    EXPECT_EQ((co_await connection->response().read_chunk()).value(), "second");
    EXPECT_EQ((co_await connection->response().read_chunk()).value(), "");
    EXPECT_TRUE(connection->is_idle());
  });
}

}  // namespace
}  // namespace bellows::http
