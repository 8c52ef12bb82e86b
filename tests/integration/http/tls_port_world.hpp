// A port with TLS in memory: a connection of ours and a caller's, over a pair of sockets; the test
// moves bytes and time.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/io/tls_connection.hpp"
#include "http/tls/tls_port.hpp"
#include "tests/integration/http/tls_world.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/tls_peer.hpp"

namespace bellows::http {

inline CertificateSource as_source(const test::TestCertificate& certificate,
                                   const std::string& name = "test") {
  return {.name = name,
          .certificate = as_pem(certificate.certificate, name),
          .key = as_pem(certificate.key, "key of " + name)};
}

inline WallTime wall_now() {
  return sys::system_clock().wall_now();
}

inline TlsPortSettings one_certificate(const test::TestCertificate& certificate) {
  TlsPortSettings settings;
  settings.certificates.push_back(as_source(certificate));
  return settings;
}

struct TlsPortWorld {
  explicit TlsPortWorld(SocketApi& sockets = system_sockets()) : reactor(io, clock, sockets) {}

  /// The two ends of a new connection; ours is `connection`.
  test::TlsPeer connect(TlsContext& server, TlsContext& client,
                        const std::string& name = "localhost") {
    return {accept(server), client, name};
  }
  /// Only ours; returns the other socket.
  int accept(TlsContext& server) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    adopt(server, ends[0]);
    return ends[1];
  }
  /// Ours is this socket.
  void adopt(TlsContext& server, int fd) {
    connection = std::make_unique<TlsConnection>(
        reactor, sys::Descriptor(fd), server.start({}).value(),
        TlsConnectionOptions{
            .handshake_timeout = std::chrono::seconds(10), .counters = &counters, .peer = "peer"});
    connection->set_waiter(&waiter);
  }

  /// Lets events arrive, and both ends work, until `condition` holds; false after a while.
  bool until(test::TlsPeer& peer, const std::function<bool()>& condition) {
    return until([&] {
      peer.listen();
      read();
      return condition();
    });
  }
  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::seconds(20);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      if (io.poll() == 0) io.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /// What there is, into `received`; the last result into `last`.
  void read() {
    char bytes[4096];
    do {
      last = connection->try_read(bytes, sizeof bytes);
      received.append(bytes, last.bytes);
    } while (last.kind == IoResult::Kind::kBytes);
  }

  void pass(Duration duration) {
    clock.advance(duration);
    reactor.tick();
  }

  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor;
  Waiter waiter{reactor};
  TlsCounters counters;
  std::unique_ptr<TlsConnection> connection;
  std::string received;
  IoResult last;
};

}  // namespace bellows::http
