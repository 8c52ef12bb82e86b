#include "base/endpoint.hpp"

#include <algorithm>

#include "base/read_number.hpp"

namespace bellows {

namespace {

constexpr std::string_view kUnixPrefix = "unix:";

Error wrong_endpoint(std::string_view text) {
  return Error(ErrorKind::kInvalidSetting, "address \"" + std::string(text) + "\"",
               "want HOST:PORT with a port of 0 to 65535 (127.0.0.1:8080, [::1]:8080, :8080), or "
               "unix:/PATH");
}

/// Names, IP addresses and their zones ("fe80::1%eth0"); "*" is one that no resolver knows.
bool has_host_letters(std::string_view host) {
  return std::ranges::all_of(host, [](char c) {
    const bool is_alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_alphanumeric || std::string_view(".-_:%*").find(c) != std::string_view::npos;
  });
}

constexpr std::string_view kAnyV4 = "0.0.0.0";
constexpr std::string_view kAnyV6 = "::";

std::string_view address_of(const Endpoint& endpoint) {
  return endpoint.host == "localhost" ? "127.0.0.1" : std::string_view(endpoint.host);
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) {
    const std::string_view path = text.substr(kUnixPrefix.size());
    if (path.empty() || path.find('\0') != path.npos) return fail(wrong_endpoint(text));
    return Endpoint{.host = {}, .port = 0, .unix_path = std::string(path)};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail(wrong_endpoint(text));
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return fail(wrong_endpoint(text));
  }
  const auto port = read_number<std::uint16_t>(port_text);
  if (!port || !has_host_letters(host)) return fail(wrong_endpoint(text));
  return Endpoint{
      .host = host.empty() ? "0.0.0.0" : std::string(host), .port = *port, .unix_path = {}};
}

bool overlap(const Endpoint& a, const Endpoint& b) {
  if (a.is_unix() || b.is_unix()) return a.unix_path == b.unix_path;
  if (a.port != b.port || a.port == 0) return false;
  const std::string_view one = address_of(a);
  const std::string_view other = address_of(b);
  // Linux gives "::" the ports of IPv4 too.
  if (one == other || one == kAnyV6 || other == kAnyV6) return true;
  const auto is_v4 = [](std::string_view host) { return host.find(':') == std::string_view::npos; };
  return (one == kAnyV4 && is_v4(other)) || (other == kAnyV4 && is_v4(one));
}

std::string to_string(const Endpoint& endpoint) {
  if (endpoint.is_unix()) return std::string(kUnixPrefix) + endpoint.unix_path;
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

}  // namespace bellows
