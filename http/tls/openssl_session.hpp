// One TLS connection by OpenSSL. Within http/tls.
#pragma once

#include <memory>
#include <string>

#include "http/io/tls.hpp"

struct ssl_ctx_st;

namespace bellows::http {

enum class TlsSide : std::uint8_t { kClient, kServer };

/// What a client verifies.
struct TlsPeerCheck {
  std::string server_name;
  std::string trusted;  ///< whose certificates are trusted, for errors: "/ca.crt", "the system"
};

/// `context` may be freed before the session.
Result<std::unique_ptr<TlsSession>> make_openssl_session(ssl_ctx_st& context, TlsSide side,
                                                         TlsPeerCheck check);

}  // namespace bellows::http
