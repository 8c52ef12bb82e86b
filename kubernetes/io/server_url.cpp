#include "kubernetes/io/server_url.hpp"

#include <cstdint>

namespace bellows::kubernetes {

namespace {

constexpr std::uint16_t kHttpsPort = 443;
constexpr std::uint16_t kHttpPort = 80;

/// Returns true if `authority` has a port: a colon after an IPv6 literal's bracket or in a name.
bool has_port(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::size_t bracket = authority.rfind(']');
  return bracket == std::string_view::npos || colon > bracket;
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text, std::string_view culprit) {
  const auto invalid = [&](const std::string& why) {
    return fail(ErrorKind::kInvalidSetting, std::string(culprit),
                "\"" + std::string(text) + "\": " + why + "want https://HOST:PORT");
  };
  ServerUrl url;
  std::string_view rest = text;
  constexpr std::string_view kSecure = "https://";
  constexpr std::string_view kPlain = "http://";
  if (rest.starts_with(kSecure)) {
    rest.remove_prefix(kSecure.size());
  } else {
    if (rest.find("://") != rest.npos && !rest.starts_with(kPlain)) return invalid("");
    if (rest.starts_with(kPlain)) rest.remove_prefix(kPlain.size());
    url.is_tls = false;
  }
  if (rest.find_first_of("?#@ ") != rest.npos) {
    return invalid("it has a user, a query, a fragment or a space; ");
  }
  const std::size_t slash = rest.find('/');
  std::string authority(rest.substr(0, slash));
  if (slash != rest.npos) url.server.base_path = rest.substr(slash);
  while (url.server.base_path.ends_with('/')) url.server.base_path.pop_back();
  if (authority.empty() || authority.starts_with(':')) return invalid("no host; ");
  if (!has_port(authority)) {
    authority += ":" + std::to_string(url.is_tls ? kHttpsPort : kHttpPort);
  }
  auto endpoint = parse_endpoint(authority);
  if (!endpoint || endpoint->is_unix() || endpoint->host.empty() || endpoint->port == 0) {
    return invalid("no host and port; ");
  }
  url.server.endpoint = std::move(*endpoint);
  url.server.url =
      (url.is_tls ? "https://" : "http://") + to_string(url.server.endpoint) + url.server.base_path;
  return url;
}

}  // namespace bellows::kubernetes
