// Determines how the body of a message ends (RFC 9112 6.3). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::http {

enum class BodyEnd : std::uint8_t {
  kNone,     ///< no body
  kLength,   ///< after `length` bytes
  kChunked,  ///< with the last chunk and its trailers
  kClose,    ///< when the connection closes (responses only)
};

struct BodyFraming {
  BodyEnd end = BodyEnd::kNone;
  std::uint64_t length = 0;  ///< of kLength
};

/// Returns the framing of a request. A request without length and chunked coding has no body.
BodyFraming request_body(const RequestHead& head);

/// Returns the framing of a response. HEAD, 1xx, 204 and 304 have no body; others end by chunked
/// coding, a length, or the close of the connection.
BodyFraming response_body(const ResponseHead& head, std::string_view request_method);

/// Returns true with `TE: trailers`: the recipient of the response accepts trailers (RFC 9110
/// 10.1.4).
bool asks_for_trailers(const Fields& fields);

}  // namespace bellows::http
