// "ws://host:port/path": where stats are sent to.
#pragma once

#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"

namespace bellows::config {

/// What http::connect_websocket() takes.
struct WebSocketUrl {
  Endpoint endpoint;
  std::string path;  ///< starts with '/'

  bool empty() const { return endpoint.empty(); }
  bool operator==(const WebSocketUrl&) const = default;
};

/// Reads ws://HOST:PORT or ws://HOST:PORT/PATH (the path is /v1/stats if it is missing).
/// kInvalidSetting with what would be right otherwise.
Result<WebSocketUrl> parse_websocket_url(std::string_view text);

/// The form that parse_websocket_url reads back; empty for an empty one.
std::string to_string(const WebSocketUrl& url);

}  // namespace bellows::config
