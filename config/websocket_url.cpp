#include "config/websocket_url.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kWebSocket = "ws://";
constexpr std::string_view kStatsPath = "/v1/stats";

}  // namespace

Result<WebSocketUrl> parse_websocket_url(std::string_view text) {
  const Error invalid(ErrorKind::kInvalidSetting, "URL \"" + std::string(text) + "\"",
                      "want ws://HOST:PORT/PATH, as in ws://127.0.0.1:8080/v1/stats");
  if (!text.starts_with(kWebSocket)) return fail(invalid);
  const std::string_view rest = text.substr(kWebSocket.size());
  const std::size_t slash = rest.find('/');
  const auto endpoint = parse_endpoint(rest.substr(0, slash));
  if (!endpoint || endpoint->is_unix() || endpoint->port == 0 || rest.starts_with(':')) {
    return fail(invalid);
  }
  const std::string_view path = slash == std::string_view::npos ? kStatsPath : rest.substr(slash);
  if (path.find_first_of(" #\t\r\n") != std::string_view::npos) return fail(invalid);
  return WebSocketUrl{.endpoint = *endpoint, .path = std::string(path)};
}

std::string to_string(const WebSocketUrl& url) {
  if (url.empty()) return {};
  return std::string(kWebSocket) + to_string(url.endpoint) + url.path;
}

}  // namespace bellows::config
