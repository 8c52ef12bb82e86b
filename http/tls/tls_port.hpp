// TLS of a port for traffic: many certificates, selected by the name that a caller requests, and
// read again when their files have changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/tls.hpp"
#include "http/tls/tls_context.hpp"

namespace bellows::http {

class PortCertificates;
class TicketKeys;

/// A certificate with its key, and its name in logs and metrics.
struct CertificateSource {
  std::string name;
  Pem certificate;  ///< with its chain
  Pem key;
};

/// Requirement of certificates from callers.
enum class ClientCertificates : std::uint8_t {
  kOptional,  ///< requested; callers without one are served
  kRequired,
};

struct TlsPortSettings {
  std::vector<CertificateSource> certificates = {};  ///< the first is for callers that name no host
  std::string folder = {};    ///< further certificates, as in certificate_folder.hpp; empty: none
  bool allows_tls12 = true;   ///< false: TLS 1.3 only
  bool offers_http2 = false;  ///< by ALPN, before http/1.1
  Pem client_ca = {};         ///< verifies callers' certificates; empty: none is requested
  ClientCertificates clients = ClientCertificates::kRequired;
};

/// A certificate that a port presents.
struct PortCertificate {
  std::string name;                ///< "shop", from the name of its file
  std::string file;                ///< its path, or the name of its text in errors
  std::vector<std::string> hosts;  ///< names that it is valid for
  WallTime valid_until{};          ///< earliest expiry in its chain
};

/// Owner: a program. Thread: the io thread. Reading blocks for the time of small files.
class TlsPort final : public TlsContext {
 public:
  /// Reads the files. Errors are kInvalidSetting, or kNotFound for a missing file, and name the
  /// file, what is wrong with it and what would be valid. A certificate that has expired, or is not
  /// valid yet, is an error.
  static Result<std::unique_ptr<TlsPort>> open(TlsPortSettings settings, WallTime now);
  ~TlsPort() override;

  /// Ignores `server_name`.
  Result<std::unique_ptr<TlsSession>> start(const std::string& server_name) override;

  /// Returns true if files have changed since the last attempt to read them and have been unchanged
  /// since the previous check, so that the replacement is complete.
  bool has_settled_change();
  /// Reads everything again, for connections from now on. After an error the previous certificates
  /// stay.
  Result<void> reload(WallTime now);
  /// Adds a key for tickets from now on. Call it regularly; a ticket is valid for two to three
  /// intervals.
  Result<void> rotate_ticket_keys();

  const std::vector<PortCertificate>& certificates() const;

 private:
  explicit TlsPort(TlsPortSettings settings);
  std::string look() const;

  const TlsPortSettings settings_;
  std::shared_ptr<TicketKeys> keys_;  // shared with the certificates that use them
  std::shared_ptr<const PortCertificates> certificates_;  // and with handshakes under way
  std::string read_;                                      // stamps of the files at the last read
  std::string last_look_;                                 // stamps of the files at the last check
};

}  // namespace bellows::http
