// The server side of the WebSocket handshake. Internal to this room: it carries a Beast message
// from service_server.cpp to websocket.cpp, so that Beast's WebSocket is compiled in one place.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::string_body>;

/// Answers the request to upgrade that came over `socket`. kMalformed after the refusal was sent,
/// kReset, kTimeout.
Task<Result<std::unique_ptr<WebSocket>>> accept_websocket(StreamSocket socket,
                                                          UpgradeRequest request,
                                                          WebSocketOptions options);

}  // namespace bellows::http
