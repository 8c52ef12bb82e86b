// TLS of a port for traffic: many certificates, chosen by the name that a caller asks for, and read
// again when their files have changed.
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

/// A certificate with its key, by the name that logs and metrics have for it.
struct CertificateSource {
  std::string name;
  Pem certificate;  ///< with its chain
  Pem key;
};

/// What is asked of callers.
enum class ClientCertificates : std::uint8_t {
  kOptional,  ///< one is asked for; callers without are served
  kRequired,
};

struct TlsPortSettings {
  std::vector<CertificateSource> certificates = {};  ///< the first is for callers without a name
  std::string folder = {};    ///< more of them, as in certificate_folder.hpp; empty: none
  bool allows_tls12 = true;   ///< false: TLS 1.3 alone
  bool offers_http2 = false;  ///< by ALPN, before http/1.1
  Pem client_ca = {};         ///< verifies callers' certificates; empty: none is asked for
  ClientCertificates clients = ClientCertificates::kRequired;
};

/// A certificate that a port presents.
struct PortCertificate {
  std::string name;                ///< "shop", as its file is called
  std::string file;                ///< its path, or what errors call its text
  std::vector<std::string> hosts;  ///< the names it is for
  WallTime valid_until{};          ///< of the certificate of its chain that ends first
};

/// Owner: a program. Thread: the io thread. What it reads blocks for the time of small files.
class TlsPort final : public TlsContext {
 public:
  /// kInvalidSetting (kNotFound for a file that is missing): names the file, what is wrong with it
  /// and what would be right. A certificate that has expired, or is not valid yet, counts as wrong.
  static Result<std::unique_ptr<TlsPort>> open(TlsPortSettings settings, WallTime now);
  ~TlsPort() override;

  /// `server_name` is ignored.
  Result<std::unique_ptr<TlsSession>> start(const std::string& server_name) override;

  /// Whether files have changed since they were read last, with or without success, and not since
  /// the look before: who replaces them has come to an end.
  bool has_settled_change();
  /// Reads everything again, for connections from now on. After an error what was there stays.
  Result<void> reload(WallTime now);
  /// For tickets from now on; call it regularly. A ticket is taken for two to three of its
  /// intervals.
  Result<void> rotate_ticket_keys();

  const std::vector<PortCertificate>& certificates() const;

 private:
  explicit TlsPort(TlsPortSettings settings);
  std::string look() const;

  const TlsPortSettings settings_;
  std::shared_ptr<TicketKeys> keys_;  // shared with the certificates that use them
  std::shared_ptr<const PortCertificates> certificates_;  // and with handshakes under way
  std::string read_;       // how the files looked when they were read last
  std::string last_look_;  // how they looked since
};

}  // namespace bellows::http
