// A minimal program around the data path: forwards every request to one upstream. Measures the cost
// of proxy/ alone. Usage: see bench/harness/README.md.
//   proxy_passthrough [LISTEN [UPSTREAM [SLOTS [CERTIFICATE KEY [HANDSHAKE_SECONDS]]]]]
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/sys/clock.hpp"
#include "http/io/tls_connection.hpp"
#include "http/tls/tls_port.hpp"
#include "proxy/io/concurrency_limiter.hpp"
#include "proxy/io/proxy_server.hpp"

namespace {

using namespace bellows;  // NOLINT: a program of one page

/// The minimum that the handler of a queue-proxy does: limit, count, forward with timeouts.
class PassOn final : public proxy::RequestHandler {
 public:
  PassOn(http::Reactor& reactor, Endpoint upstream, proxy::BreakerLimits limits)
      : pool_(reactor), upstream_(std::move(upstream)), limiter_("passthrough", limits) {
    options_.limits.total = std::chrono::seconds(300);
    options_.limits.response_start = std::chrono::seconds(300);
    options_.limits.idle = std::chrono::seconds(60);
    options_.upstream_name = "app";
  }

  http::Task<void> handle(proxy::Exchange& exchange) override {
    proxy::Slot slot = limiter_.try_acquire(exchange.arrived());
    if (!slot) {
      auto entered = co_await limiter_.acquire(exchange);
      if (!entered) {
        co_await exchange.send_local_reply(
            limiter_.rejection_reply(entered.error(), exchange.arrived()));
        co_return;
      }
      slot = std::move(*entered);
    }
    const auto passed = co_await exchange.forward(pool_, upstream_, options_);
    if (!passed) ++failures_;
  }

 private:
  proxy::UpstreamPool pool_;
  Endpoint upstream_;
  proxy::ConcurrencyLimiter limiter_;
  proxy::ForwardOptions options_;
  std::uint64_t failures_ = 0;
};

/// Null: files that cannot be used.
std::unique_ptr<http::TlsPort> open_tls(const char* certificate, const char* key) {
  http::TlsPortSettings settings;
  settings.certificates.push_back({.name = "bench",
                                   .certificate = {.path = certificate, .text = {}, .name = {}},
                                   .key = {.path = key, .text = {}, .name = {}}});
  auto port = http::TlsPort::open(std::move(settings), sys::system_clock().wall_now());
  if (port) return std::move(*port);
  std::fprintf(stderr, "%s\n", to_string(port.error()).c_str());
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const auto listen_at = parse_endpoint(argc > 1 ? argv[1] : "127.0.0.1:8012");
  const auto upstream = parse_endpoint(argc > 2 ? argv[2] : "127.0.0.1:9000");
  const std::int64_t slots = argc > 3 ? std::atoll(argv[3]) : 1000;
  if (!listen_at || !upstream) return 2;
  http::net::io_context io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
  http::Reactor reactor(io);
  proxy::BreakerLimits limits{.slots = slots, .queue = {.count = 10000}};
  if (slots == 0) limits.slots.reset();
  PassOn handler(reactor, *upstream, limits);
  proxy::ProxyServer server(reactor, handler);
  std::unique_ptr<http::TlsPort> tls;
  http::MakeConnection make;
  if (argc > 5) {
    tls = open_tls(argv[4], argv[5]);
    if (!tls) return 1;
    http::TlsConnectionOptions options;
    if (argc > 6) options.handshake_timeout = std::chrono::seconds(std::atoi(argv[6]));
    make = [&, options](sys::Descriptor socket, const http::SocketAddress&) {
      return std::make_unique<http::TlsConnection>(reactor, std::move(socket),
                                                   tls->start({}).value(), options);
    };
  }
  const auto listening = server.listen(*listen_at, proxy::Peer::kOutside, std::move(make));
  if (!listening) {
    std::fprintf(stderr, "%s\n", to_string(listening.error()).c_str());
    return 1;
  }
  io.run();
}
