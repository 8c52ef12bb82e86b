// TLS of the port for callers: makes connections by the settings, reads certificates again when
// their files change, and warns before they expire.
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
  /// Reads the certificates. Errors are kInvalidSetting or kNotFound, and name the file, what is
  /// wrong and what would be valid. A self-signed certificate made here includes the host of
  /// `listen`.
  static Result<std::unique_ptr<SecurePort>> open(const config::TlsSettings& settings,
                                                  const Endpoint& listen, const sys::Clock& clock);

  /// Logs the fingerprint of a certificate that was made here, and how curl can trust it.
  void announce(const Endpoint& listening) const;

  /// Returns the function for the listener. It refers to this object.
  http::MakeConnection connections(http::Reactor& reactor);
  /// These two functions do the same in two steps, for connections of other loops. start_session()
  /// runs in the io thread; it logs the reason and returns nullptr if it cannot make a session.
  std::unique_ptr<http::TlsSession> start_session();
  /// Runs in the thread of `reactor`.
  std::unique_ptr<http::Connection> connect(http::Reactor& reactor, sys::Descriptor socket,
                                            const http::SocketAddress& peer,
                                            std::unique_ptr<http::TlsSession> session);

  /// Reads files that have changed, rotates the keys of tickets, and warns of certificates that
  /// expire soon. Call it about once a second.
  void look();
  /// Reads all files now, as on SIGHUP. After an error, which is logged, the previous ones stay in
  /// force.
  Result<void> reload();

  /// Lists PREFIX_tls_handshakes_total{outcome}, PREFIX_tls_reloads_total{outcome} and
  /// PREFIX_tls_certificate_expiry_timestamp_seconds{certificate}. This object outlives the
  /// listings.
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
  /// The last warning about each file, and the expiry it was about.
  struct Said {
    WallTime valid_until;
    std::chrono::days notice;
  };
  std::map<std::string, Said> said_;
};

/// Checks, without a port, what open() would read, and that the ACME folder exists. Programs use it
/// to report errors before they start. It succeeds if TLS is off.
Result<void> check_tls(const config::TlsSettings& settings, const Endpoint& listen,
                       const sys::Clock& clock);

}  // namespace bellows::activator
