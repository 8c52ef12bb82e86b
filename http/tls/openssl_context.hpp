// Makes contexts of OpenSSL with the options that all of ours share. Within http/tls.
#pragma once

#include <memory>

#include "base/result.hpp"

struct ssl_ctx_st;
struct ssl_method_st;

namespace bellows::http {

struct FreeContext {
  void operator()(ssl_ctx_st* context) const;
};
using ContextPtr = std::unique_ptr<ssl_ctx_st, FreeContext>;

/// Makes a context with TLS 1.2 at least, no renegotiation, and no buffers while a connection is
/// idle.
Result<ContextPtr> new_context(const ssl_method_st* method);

}  // namespace bellows::http
