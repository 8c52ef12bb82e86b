#include "http/io/client_request.hpp"

#include <algorithm>

#include "http/core/head.hpp"

namespace bellows::http {

namespace {

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

Result<void> check(const ClientRequest& request, const Endpoint& endpoint) {
  if (has_control_byte(endpoint.host) || endpoint.host.find(' ') != endpoint.host.npos) {
    return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                "want a host without spaces or control characters");
  }
  const std::string& target = request.target;
  if (!target.starts_with('/') || has_control_byte(target) || target.find(' ') != target.npos) {
    return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                "request target \"" + target +
                    "\": want a path that starts with '/' and has no "
                    "spaces or control characters");
  }
  for (const auto& [name, value] : request.headers) {
    if (name.empty() || name.find_first_of(" :") != name.npos || has_control_byte(name + value)) {
      return fail(ErrorKind::kInvalidSetting, to_string(endpoint),
                  "header \"" + name +
                      "\": want a name without spaces or colons, and no control "
                      "characters");
    }
  }
  return {};
}

}  // namespace

Result<std::string> to_bytes(const ClientRequest& request, const Endpoint& endpoint) {
  BELLOWS_CHECKED(check(request, endpoint));
  std::string out = request.method + " " + request.target + " HTTP/1.1\r\n";
  const auto add_default = [&](std::string_view name, std::string_view value) {
    for (const auto& [given, ignored] : request.headers) {
      if (equals_ignore_case(given, name)) return;
    }
    out.append(name).append(": ").append(value).append("\r\n");
  };
  const std::string& body = request.body;
  add_default("Host", endpoint.is_unix() ? "localhost" : to_string(endpoint));
  add_default("User-Agent", "bellows");
  if (!body.empty()) add_default("Content-Type", "application/json");
  for (const auto& [name, value] : request.headers) out += name + ": " + value + "\r\n";
  const bool announces_body = !body.empty() || request.method == "POST" || request.method == "PUT";
  if (announces_body) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!request.keeps_alive) out += "Connection: close\r\n";
  out += "\r\n";
  out += body;
  return out;
}

}  // namespace bellows::http
