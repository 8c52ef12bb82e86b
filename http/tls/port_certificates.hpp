// The certificates of a port as they were read together. Within http/tls.
#pragma once

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

/// Does not change. Owners: the port, and each connection in its handshake.
class PortCertificates {
 public:
  /// kInvalidSetting, or the error of a file: names the file and what would be right.
  static Result<std::shared_ptr<const PortCertificates>> load(
      const TlsPortSettings& settings, std::shared_ptr<const TicketKeys> keys, WallTime now);

  /// For callers that name no host, or one that no certificate is for.
  ssl_ctx_st& first() const { return *contexts_.front(); }
  /// For a caller that names `host`: the certificate with that name, else with a wildcard for it,
  /// else the first.
  ssl_ctx_st& context_for(std::string_view host) const;
  const TicketKeys& ticket_keys() const { return *keys_; }
  const std::vector<PortCertificate>& list() const { return list_; }

 private:
  Result<void> add(const CertificateSource& source, const TlsPortSettings& settings, WallTime now);
  Result<void> add_names(const PortCertificate& certificate, ssl_ctx_st& context);

  std::shared_ptr<const TicketKeys> keys_;  // shared with the port, which rotates them
  std::vector<ContextPtr> contexts_;
  std::vector<PortCertificate> list_;
  struct Place {
    ssl_ctx_st* context = nullptr;
    std::string file;
  };
  std::map<std::string, Place, std::less<>> by_host_;  // in lower case; "*.shop.example" too
};

}  // namespace bellows::http
