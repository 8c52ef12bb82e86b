// TLS of the port for callers: from the settings to connections; reads certificates again when
// their files change, and says when they end.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/sys/clock.hpp"
#include "config/tls_settings.hpp"
#include "http/io/connection.hpp"
#include "http/io/reactor.hpp"
#include "http/io/tls_connection.hpp"
#include "http/tls/self_signed.hpp"
#include "http/tls/tls_port.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::activator {

/// Owner: an ActivatorService. Thread: the io thread. The arguments outlive it, and it outlives the
/// connections that it makes.
class SecurePort {
 public:
  /// kInvalidSetting or kNotFound: names the file, what is wrong and what would be right. `listen`:
  /// a certificate that is made here is for its host too.
  static Result<std::unique_ptr<SecurePort>> open(const config::TlsSettings& settings,
                                                  const Endpoint& listen, const sys::Clock& clock);

  /// Logs the fingerprint of a certificate that was made here, and how curl trusts it.
  void announce(const Endpoint& listening) const;

  /// For the listener. It refers to this.
  http::MakeConnection connections(http::Reactor& reactor);
  /// The same in two steps, for connections of other loops. In the io thread; nullptr: none can be
  /// made, which is logged.
  std::unique_ptr<http::TlsSession> start_session();
  /// In the thread of `reactor`.
  std::unique_ptr<http::Connection> connect(http::Reactor& reactor, sys::Descriptor socket,
                                            const http::SocketAddress& peer,
                                            std::unique_ptr<http::TlsSession> session);

  /// Call it about once a second: reads files that have changed, rotates the keys of tickets, warns
  /// of certificates that end soon.
  void look();
  /// Reads all files now, as when SIGHUP asks for it. After an error, which is logged, those read
  /// before stay in force.
  Result<void> reload();

  /// PREFIX_tls_handshakes_total{outcome}, PREFIX_tls_reloads_total{outcome} and
  /// PREFIX_tls_certificate_expiry_timestamp_seconds{certificate}. This outlives them.
  [[nodiscard]] std::vector<metrics::prometheus::Listing> list_series(
      metrics::prometheus::Registry& registry, const std::string& prefix) const;

  const std::vector<http::PortCertificate>& certificates() const { return port_->certificates(); }

 private:
  SecurePort(const config::TlsSettings& settings, const sys::Clock& clock,
             std::unique_ptr<http::TlsPort> port, std::optional<http::SelfSigned> made);
  void warn_of_ends();

  const config::TlsSettings settings_;
  const sys::Clock& clock_;
  std::unique_ptr<http::TlsPort> port_;
  std::optional<http::SelfSigned> made_;  // the certificate that was made at the start
  http::TlsCounters handshakes_;
  std::uint64_t reloads_ = 0;
  std::uint64_t failed_reloads_ = 0;
  TimePoint next_rotation_;
  TimePoint next_warnings_{};
  /// What was said last of each file, and of which end.
  struct Said {
    WallTime valid_until;
    std::chrono::days notice;
  };
  std::map<std::string, Said> said_;
};

/// Checks what open() would read, and that the ACME folder is there, without a port: for programs
/// that tell their user before they start. Success if TLS is off.
Result<void> check_tls(const config::TlsSettings& settings, const Endpoint& listen,
                       const sys::Clock& clock);

}  // namespace bellows::activator
