// The server side of the WebSocket handshake. Internal to this room: it lets service_server.cpp
// hand a connection to websocket.cpp, so that Beast's WebSocket is compiled in one place.
#pragma once

#include <memory>

#include "http/io/byte_stream.hpp"
#include "http/io/message.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

/// Answers the HTTP/1.1 request to upgrade that was read from `stream`. Errors: kMalformed after
/// the error_response was sent, kReset, kTimeout.
Awaitable<Result<std::unique_ptr<WebSocket>>> accept_websocket(ByteStream stream, Request request,
                                                               WebSocketOptions options);

}  // namespace bellows::http
