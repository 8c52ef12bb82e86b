#include "config/trace_settings.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kTracesPath = "/v1/traces";

}  // namespace

std::optional<CollectorUrl> parse_collector_url(std::string_view text) {
  if (!text.starts_with(kHttp)) return std::nullopt;
  const std::string_view rest = text.substr(kHttp.size());
  const std::size_t slash = rest.find('/');
  const auto endpoint = parse_endpoint(rest.substr(0, slash));
  if (!endpoint || endpoint->is_unix() || endpoint->port == 0 || rest.starts_with(':')) {
    return std::nullopt;
  }
  const std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  for (const char c : path) {
    if (c <= ' ' || c > '~' || c == '#') return std::nullopt;
  }
  return CollectorUrl{.endpoint = *endpoint,
                      .path = std::string(path.empty() || path == "/" ? kTracesPath : path)};
}

}  // namespace bellows::config
