#include "config/text_formats.hpp"

#include <algorithm>

#include "base/ip_range.hpp"
#include "base/read_number.hpp"
#include "base/text_parts.hpp"
#include "config/header_text.hpp"

namespace bellows::config {

namespace {

bool is_small_or_digit(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  if (text.empty() || text.size() > kLongest) return false;
  if (!is_small_or_digit(text.front()) || !is_small_or_digit(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return is_small_or_digit(letter) || letter == '-'; });
}

bool is_host_name(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  if (text.size() > kLongest) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// Returns the comma-separated parts without surrounding blanks, joined by ", "; nullopt if one of
/// them is invalid.
template <class IsValid>
std::optional<std::string> read_list(std::string_view text, IsValid is_valid) {
  std::string list;
  while (!text.empty()) {
    const std::string_view part = trimmed(next_part(text, ','));
    if (part.empty() || !is_valid(part)) return std::nullopt;
    if (!list.empty()) list += ", ";
    list += part;
  }
  return list;
}

/// Returns true if it starts with '/' and has nothing that ends a path in a request line (blanks,
/// '?', '#', controls, bytes over 127).
bool is_path(std::string_view text) {
  const auto is_allowed = [](char letter) {
    return letter > ' ' && letter < 0x7f && letter != '?' && letter != '#';
  };
  return text.starts_with('/') && std::ranges::all_of(text, is_allowed);
}

/// Returns true for a token (RFC 9110 5.6.2), with a version or not: websocket, IRC/6.9.
bool is_protocol(std::string_view text) {
  const auto is_allowed = [](char letter) { return letter == '/' || is_token_byte(letter); };
  return std::ranges::all_of(text, is_allowed);
}

std::optional<std::string> if_valid(bool is_valid, std::string_view text) {
  if (!is_valid) return std::nullopt;
  return std::string(text);
}

}  // namespace

TextFormat name_format() {
  return {.want = "1 to 63 letters a-z, digits and inner hyphens, such as web or api-2",
          .read = [](std::string_view text) { return if_valid(is_label(text), text); }};
}

TextFormat revision_format() {
  return {.want = "1 to 63 letters a-z, digits and inner hyphens, such as web, or NAMESPACE/NAME",
          .read = [](std::string_view text) {
            const std::size_t slash = text.find('/');
            if (slash == std::string_view::npos) return if_valid(is_label(text), text);
            return if_valid(is_label(text.substr(0, slash)) && is_host_name(text.substr(slash + 1)),
                            text);
          }};
}

TextFormat path_format() {
  return {
      .want = "a path that starts with /, without query, or nothing",
      .read = [](std::string_view text) { return if_valid(text.empty() || is_path(text), text); }};
}

TextFormat liveness_format() {
  return {
      .want = "tcp, a port from 1 to 65535, a path that starts with /, without query, or nothing",
      .read = [](std::string_view text) {
        const bool is_port = !text.starts_with('0') && read_number<std::uint16_t>(text);
        return if_valid(text.empty() || text == "tcp" || is_path(text) || is_port, text);
      }};
}

TextFormat path_list_format() {
  return {.want = "paths that start with /, without query, with commas between them, or nothing",
          .read = [](std::string_view text) { return read_list(text, is_path); }};
}

TextFormat agent_list_format() {
  return {.want = "beginnings of a User-Agent with commas between them, or nothing",
          .read = [](std::string_view text) {
            return read_list(text, [](std::string_view agent) {
              return std::all_of(agent.begin(), agent.end(),
                                 [](char letter) { return letter >= ' ' && letter < 0x7f; });
            });
          }};
}

TextFormat upgrade_list_format() {
  return {.want = "names of protocols with commas between them (websocket), not HTTP/2, or nothing",
          .read = [](std::string_view text) {
            return read_list(text, [](std::string_view protocol) {
              const std::string lower = lower_case(protocol);
              return !lower.starts_with("h2") && !lower.starts_with("http/") &&
                     !lower.starts_with("tls/") && is_protocol(lower);
            });
          }};
}

TextFormat proxy_list_format() {
  return {.want =
              "networks in CIDR notation (10.0.0.0/8) or addresses, private, with commas between "
              "them; or none",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.empty()) return std::nullopt;
            if (text == "none") return std::string(text);
            return read_list(text, [](std::string_view part) {
              return part == "private" || parse_ip_range(part).has_value();
            });
          }};
}

TextFormat host_format() {
  return {.want = "a host name or an IP address, without port", .read = [](std::string_view text) {
            const bool is_v6 =
                std::count(text.begin(), text.end(), ':') >= 2 &&
                text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
            return if_valid(is_v6 || is_host_name(lower_case(text)), text);
          }};
}

TextFormat host_pattern_format() {
  return {.want =
              "a host name without port, such as web.localhost, a wildcard, such as "
              "*.web.localhost, or nothing",
          .read = [](std::string_view text) {
            const std::string lower = lower_case(text);
            const std::string_view name =
                std::string_view(lower).substr(lower.starts_with("*.") ? 2 : 0);
            return if_valid(lower.empty() || is_host_name(name), lower);
          }};
}

TextFormat path_prefix_format() {
  return {.want = "a path that starts with / and does not end with it, such as /api, or nothing",
          .read = [](std::string_view text) {
            return if_valid(text.empty() || (is_path(text) && !text.ends_with('/')), text);
          }};
}

TextFormat tcp_endpoint_format() {
  return {.want = "HOST:PORT",
          .read = [](std::string_view text) { return if_valid(!text.starts_with("unix:"), text); }};
}

}  // namespace bellows::config
