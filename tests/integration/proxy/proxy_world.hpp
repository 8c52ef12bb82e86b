// A proxy, its caller and its upstream in one thread: the test plays both ends, byte by byte, and
// moves the time.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/io/concurrency_limiter.hpp"
#include "proxy/io/proxy_server.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::proxy {

/// An ordinary exchange, for tests of something else.
inline const std::string kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
inline const std::string kPost = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
inline const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The first line that the caller received.
inline std::string status_line(const test::TestPeer& caller) {
  return caller.received().substr(0, caller.received().find("\r\n"));
}

/// Fails the n-th call of a kind, or the next few accepts; calls a function before each accept.
class FaultySockets final : public http::SocketApi {
 public:
  int fail_receive = -1;
  int fail_send = -1;
  int fail_connect = -1;
  int fail_accept = -1;
  int failing_accepts = 0;          ///< so many from now on
  int accept_error = ECONNABORTED;  ///< of both
  int unwatchable_accepts = 0;      ///< so many get a descriptor that epoll refuses
  int receives = 0;
  int sends = 0;
  int connects = 0;
  int accepts = 0;
  std::function<void()> before_accept;
  std::function<void()> before_send;
  /// What the system tells of every connection to an upstream; nullopt: the truth.
  std::optional<http::Delivery> delivered;
  bool knows_backlogs = true;
  bool fails_any() const { return fail_receive >= 0 || fail_send >= 0 || fail_connect >= 0; }

  ssize_t receive(int fd, void* data, std::size_t size, int flags) override {
    if (receives++ == fail_receive) return fail();
    return SocketApi::receive(fd, data, size, flags);
  }
  ssize_t send(int fd, const iovec* parts, std::size_t count) override {
    if (before_send) before_send();
    if (sends++ == fail_send) return fail();
    return SocketApi::send(fd, parts, count);
  }
  int connect(int fd, const sockaddr* address, socklen_t size) override {
    if (connects++ == fail_connect) return fail();
    return SocketApi::connect(fd, address, size);
  }
  int accept(int fd, sockaddr* address, socklen_t* size) override {
    if (before_accept) before_accept();
    const bool is_to_fail = failing_accepts > 0 && failing_accepts-- > 0;
    if (accepts++ == fail_accept || is_to_fail) return fail(accept_error);
    const int accepted = SocketApi::accept(fd, address, size);
    if (accepted >= 0 && unwatchable_accepts > 0 && unwatchable_accepts-- > 0) {
      const sys::Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
      ::dup3(nothing.get(), accepted, O_CLOEXEC);
    }
    return accepted;
  }

  std::optional<http::Delivery> delivery(int fd) override {
    return delivered ? delivered : SocketApi::delivery(fd);
  }
  std::optional<std::size_t> backlog_room(const sockaddr* address) override {
    return knows_backlogs ? SocketApi::backlog_room(address) : std::nullopt;
  }

 private:
  static int fail(int error = ECONNRESET) {
    errno = error;
    return -1;
  }
};

/// One limiter, one upstream: a minimal queue-proxy.
class GatedHandler final : public RequestHandler {
 public:
  GatedHandler(http::Reactor& reactor, BreakerLimits limits, Duration total,
               UpstreamOptions upstreams)
      : pool(reactor, upstreams), limiter("app", limits, total) {
    options.limits.total = total;
  }

  http::Task<void> handle(Exchange& exchange) override {
    auto slot = co_await limiter.acquire(exchange);
    if (!slot) {
      if (exchange.has_hung_up()) co_return;
      co_await exchange.send_local_reply(
          limiter.rejection_reply(slot.error(), exchange.reactor().now()));
      co_return;
    }
    auto passed = co_await exchange.forward(pool, upstream, options);
    for (int more = tries; !passed && passed.error().may_retry() && more > 1; --more) {
      passed = co_await exchange.forward(pool, upstream, options);
    }
    if (!passed) errors.push_back(passed.error());
    statuses.push_back(exchange.outcome().status);
  }

  UpstreamPool pool;
  ConcurrencyLimiter limiter;
  Endpoint upstream;
  ForwardOptions options;
  int tries = 1;  ///< of a request that may be tried elsewhere
  std::vector<Error> errors;
  std::vector<int> statuses;  ///< as known when forward() has ended
};

/// Most tests compare the whole text of an error.
inline ProxyServerOptions full_detail() {
  ProxyServerOptions options;
  options.error_detail = config::ErrorDetail::kFull;
  return options;
}

class ProxyWorld {
 public:
  explicit ProxyWorld(BreakerLimits limits = {.slots = 100, .queue = {.count = 100}},
                      ProxyServerOptions options = full_detail(), Duration total = Duration::zero(),
                      UpstreamOptions upstreams = {})
      : reactor(io, clock, sockets),
        handler(reactor, limits, total, upstreams),
        server(reactor, handler, options) {
    handler.upstream = Endpoint{.host = "127.0.0.1", .port = app.port(), .unix_path = {}};
    handler.options.upstream_name = "app";
    // Nothing is added to a request between inner hops, so the tests can compare whole messages.
    handler.options.downstream = Peer::kInside;
    server.set_observer(
        [this](const Exchange&, const Outcome& outcome) { outcomes.push_back(outcome); });
    port = server.listen(Endpoint{.host = "127.0.0.1", .port = 0, .unix_path = {}}).value().port;
  }

  test::TestPeer caller() { return test::TestPeer::connect_to(port); }

  /// Lets the proxy work until `condition` holds; false after a minute of real time.
  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      if (io.poll() == 0) io.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /// The peer receives `text` and nothing else, except the Date that the proxy adds to responses
  /// without one (Date tests look at it).
  bool hears(test::TestPeer& peer, std::string_view text) {
    std::string received;
    return until([&] {
             peer.listen();
             received = without_date(peer.received());
             return received.size() >= text.size();
           }) &&
           received == text;
  }
  static std::string without_date(std::string text) {
    for (auto at = text.find("Date: "); at != text.npos; at = text.find("Date: ")) {
      const auto end = text.find("\r\n", at);
      if (end == text.npos) break;
      text.erase(at, end + 2 - at);
    }
    return text;
  }
  bool hears_end(test::TestPeer& peer) {
    return until([&] {
      peer.listen();
      return peer.has_ended();
    });
  }
  /// The upstream's next connection.
  test::TestPeer accept() {
    test::TestPeer peer;
    EXPECT_TRUE(until([&] {
      peer = app.accept();
      return peer.is_open();
    }));
    return peer;
  }
  /// Nothing in flight, no slot taken, no memory borrowed.
  bool is_at_rest() {
    return until([&] {
      return server.counters().in_flight == 0 && handler.limiter.breaker().running() == 0 &&
             handler.limiter.breaker().waiting() == 0 && reactor.buffers().borrowed() == 0;
    });
  }
  /// Advances the time, and runs the timers that are due.
  void pass(Duration duration) {
    clock.advance(duration);
    reactor.tick();
  }

  http::net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  FaultySockets sockets;
  http::Reactor reactor;
  test::TestListener app;
  GatedHandler handler;
  std::vector<Outcome> outcomes;
  ProxyServer server;
  std::uint16_t port = 0;
};

/// One exchange after which both connections are idle.
inline void warm_up(ProxyWorld& world, test::TestPeer& caller, test::TestPeer& app) {
  ASSERT_TRUE(caller.say(kGet));
  app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world.hears(caller, kOk));
  app.take_received();
  caller.take_received();
}

}  // namespace bellows::proxy
