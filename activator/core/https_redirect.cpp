#include "activator/core/https_redirect.hpp"

#include <algorithm>

#include "http/core/field_reader.hpp"

namespace bellows::activator {

namespace {

constexpr std::size_t kMaxTokenBytes = 128;
constexpr std::uint16_t kHttpsPort = 443;

bool is_token_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

std::optional<std::string> https_location(const http::RequestHead& head, std::uint16_t port) {
  const std::string_view host = http::host_without_port(head.host);
  if (host.empty()) return std::nullopt;
  std::string location = "https://" + std::string(host);
  if (port != kHttpsPort) location += ":" + std::to_string(port);
  if (!head.path.starts_with('/')) return location + "/";  // OPTIONS *
  location += head.path;
  location += head.query;
  return location;
}

std::optional<std::string_view> acme_token(std::string_view path) {
  if (!path.starts_with(kChallenges)) return std::nullopt;
  const std::string_view token = path.substr(kChallenges.size());
  const bool is_token = token.size() <= kMaxTokenBytes && std::ranges::all_of(token, is_token_byte);
  return is_token ? token : std::string_view();
}

}  // namespace bellows::activator
