// Sends one small HTTP/1.1 request and reads the whole response: probes, scrapes, control calls.
// Each call uses one connection.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/message.hpp"
#include "http/io/net.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

struct FetchOptions {
  Duration timeout = std::chrono::seconds(5);  ///< total
  std::size_t max_body_bytes = std::size_t{16} * 1024 * 1024;
  std::size_t max_head_bytes = std::size_t{32} * 1024;  ///< same as on the data path
  /// Returns after the head. The body is not returned and may be of any size. It is read to its end
  /// only if that arrives within 20 ms, so that the server of a small body is not disconnected
  /// while it sends.
  bool head_only = false;
  TlsContext* tls = nullptr;  ///< must outlive the call; null: plain
};

static_assert(std::is_trivially_copyable_v<FetchOptions>);  // net.hpp explains the compiler defect

/// Sends `method target` with `body` (JSON if not empty, unless a Content-Type is among `headers`)
/// to the endpoint. Any status is a Response; redirects are not followed. Errors name the endpoint:
/// kRefused (no process listens), kNotFound (no such host), kTimeout, kReset (closed before the
/// response was complete), kMalformed, kTooLarge, kInvalidSetting (a target or header that would
/// split the request), and with TLS those of ByteStream::handshake(). Errors before the first sent
/// byte are retryable.
Awaitable<Result<Response>> fetch(Endpoint endpoint, std::string method, std::string target,
                                  std::string body = {},
                                  std::vector<std::pair<std::string, std::string>> headers = {},
                                  FetchOptions options = {});

/// Opens and closes a TCP (or Unix socket) connection; succeeds if a process listens there.
Awaitable<Result<void>> probe_tcp(Endpoint endpoint, Duration timeout);

}  // namespace bellows::http
