// The key of a WebSocket handshake of HTTP/1.1, which a handshake of HTTP/2 does not have: made
// when one becomes the other. Source: RFC 6455 4, RFC 8441 5. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/random.hpp"

namespace bellows::http2 {

/// 16 random bytes in base64.
std::string make_websocket_key(Random& random);

/// Sec-WebSocket-Accept for a key: SHA-1 of it and a constant, in base64.
std::string websocket_accept(std::string_view key);

}  // namespace bellows::http2
