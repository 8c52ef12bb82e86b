// "ws://host:port/path": the receiver of stats.
#pragma once

#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"

namespace bellows::config {

/// The argument of http::connect_websocket().
struct WebSocketUrl {
  Endpoint endpoint;
  std::string path;  ///< starts with '/'

  bool empty() const { return endpoint.empty(); }
  bool operator==(const WebSocketUrl&) const = default;
};

/// Reads ws://HOST:PORT or ws://HOST:PORT/PATH; the default path is /v1/stats. kInvalidSetting
/// names the valid forms.
Result<WebSocketUrl> parse_websocket_url(std::string_view text);

/// Returns the text that parse_websocket_url() reads back; empty for an empty URL.
std::string to_string(const WebSocketUrl& url);

}  // namespace bellows::config
