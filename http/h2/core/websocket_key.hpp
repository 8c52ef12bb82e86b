// Makes the key of an HTTP/1.1 WebSocket handshake, which an HTTP/2 handshake lacks, when one is
// converted into the other. Source: RFC 6455 4, RFC 8441 5. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/random.hpp"

namespace bellows::http2 {

/// Returns 16 random bytes in base64.
std::string make_websocket_key(Random& random);

/// Returns Sec-WebSocket-Accept for a key: SHA-1 of the key and a constant, in base64.
std::string websocket_accept(std::string_view key);

}  // namespace bellows::http2
