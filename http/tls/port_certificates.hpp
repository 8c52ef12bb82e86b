// The certificates of a port that were read together. Within http/tls.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "http/tls/openssl_context.hpp"
#include "http/tls/ticket_keys.hpp"
#include "http/tls/tls_port.hpp"

namespace bellows::http {

/// An immutable set of certificates. Owners: the port, and each connection in its handshake.
class PortCertificates {
 public:
  /// Reads the certificates. The error is kInvalidSetting or that of a file: it names the file and
  /// what would be valid.
  static Result<std::shared_ptr<const PortCertificates>> load(
      const TlsPortSettings& settings, std::shared_ptr<const TicketKeys> keys, WallTime now);

  /// Returns the context for callers that name no host, or a host without a certificate.
  ssl_ctx_st& first() const { return *first_; }
  /// Returns the context for a caller that names `host`: the certificate with that name, else with
  /// a wildcard for it, else the first. A name may have several certificates with keys of different
  /// kinds (RSA, ECDSA): OpenSSL chooses one that the caller can verify.
  ssl_ctx_st& context_for(std::string_view host) const;
  const TicketKeys& ticket_keys() const { return *keys_; }
  const std::vector<PortCertificate>& list() const { return list_; }

 private:
  Result<void> add(const CertificateSource& source, const TlsPortSettings& settings, WallTime now);
  /// Adds the names of the certificate at `index` in list_ and contexts_.
  Result<void> add_names(std::size_t index);
  Result<void> join_kinds(const TlsPortSettings& settings);
  Result<ssl_ctx_st*> context_of(const std::vector<std::size_t>& certificates,
                                 const TlsPortSettings& settings);

  std::shared_ptr<const TicketKeys> keys_;  // shared with the port, which rotates them
  std::vector<ContextPtr> contexts_;        // one per certificate
  std::vector<PortCertificate> list_;
  /// Contexts of certificates that share a name.
  std::map<std::vector<std::size_t>, ContextPtr> joined_;
  struct Place {
    std::vector<std::size_t> certificates;  // their keys are of different kinds
    ssl_ctx_st* context = nullptr;          // has all of them
  };
  std::map<std::string, Place, std::less<>> by_host_;  // in lower case; "*.shop.example" too
  ssl_ctx_st* first_ = nullptr;
};

}  // namespace bellows::http
