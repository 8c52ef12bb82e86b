// One TLS connection by OpenSSL. Within http/tls.
#pragma once

#include <memory>
#include <string>

#include "http/io/tls.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace bellows::http {

class PortCertificates;
class TicketKeys;

enum class TlsSide : std::uint8_t { kClient, kServer };

/// Settings for the verification of a server by a client.
struct TlsPeerCheck {
  std::string server_name;
  std::string trusted;  ///< source of the trusted certificates, for errors: "/ca.crt", "the system"
};

/// Makes a session. `context` may be freed before the session. `certificates` are those from which
/// the handshake of a port's connection chooses; null for others.
Result<std::unique_ptr<TlsSession>> make_openssl_session(
    ssl_ctx_st& context, TlsSide side, TlsPeerCheck check,
    std::shared_ptr<const PortCertificates> certificates = nullptr);

/// Returns the certificates of a connection in its handshake; nullptr if it has none.
const PortCertificates* port_certificates_of(const ssl_st& ssl);
const TicketKeys* ticket_keys_of(const ssl_st& ssl);

}  // namespace bellows::http
