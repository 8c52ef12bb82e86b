#include "http/tls/openssl_context.hpp"

#include <openssl/ssl.h>

#include "http/tls/openssl_error.hpp"

namespace bellows::http {

void FreeContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

Result<ContextPtr> new_context(const ssl_method_st* method) {
  ContextPtr context(SSL_CTX_new(method));
  if (!context) return fail(ErrorKind::kSystem, "TLS", take_openssl_text());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  // A write sends a record at a time and may be repeated from another address; idle connections
  // hold no buffers.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

}  // namespace bellows::http
