#include "metrics/stream/connect.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/file.hpp"
#include "base/text_parts.hpp"

namespace bellows::metrics {

namespace {

Result<std::string> read_token(const std::string& path) {
  BELLOWS_TRY(const std::string content, sys::read_whole_file(path, "stats-token-file"));
  const std::string_view token = trimmed(content, " \t\r\n");
  const bool is_one_word = !token.empty() && std::ranges::all_of(token, [](unsigned char c) {
    return c > ' ' && c < 0x7f;
  });
  if (is_one_word) return std::string(token);
  return fail(ErrorKind::kInvalidSetting, "stats-token-file " + path, "want one token");
}

}  // namespace

http::Awaitable<Result<std::unique_ptr<http::WebSocket>>> connect_for_stats(StatTarget target) {
  std::string bearer = target.secret;
  if (!target.token_file.empty()) {
    BELLOWS_CO_TRY(bearer, read_token(target.token_file));
  }
  http::WebSocketOptions options;
  options.bearer = bearer;
  co_return co_await http::connect_websocket(target.endpoint, target.path, options);
}

}  // namespace bellows::metrics
