#include "config/readiness_probe.hpp"

#include <boost/json.hpp>

#include "config/forms.hpp"

namespace bellows::config {

namespace {

namespace json = boost::json;

std::optional<std::string> path_of(const json::object& http_get) {
  const json::value* path = http_get.if_contains("path");
  if (path == nullptr) return "/";  // Kubernetes' default
  if (!path->is_string() || path->as_string().empty()) return std::nullopt;
  const json::string& text = path->as_string();
  return path_form().read(std::string_view(text.data(), text.size()));
}

}  // namespace

std::optional<std::string> read_readiness_probe(std::string_view text) {
  if (!text.starts_with('{')) return path_form().read(text);
  json::error_code code;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), code);
  if (code || !parsed.is_object()) return std::nullopt;
  const json::object& probe = parsed.as_object();
  const json::value* http_get = probe.if_contains("httpGet");
  const json::value* tcp_socket = probe.if_contains("tcpSocket");
  if ((http_get == nullptr) == (tcp_socket == nullptr)) return std::nullopt;
  if (tcp_socket != nullptr) {
    if (!tcp_socket->is_object()) return std::nullopt;
    return "";
  }
  return http_get->is_object() ? path_of(http_get->as_object()) : std::nullopt;
}

}  // namespace bellows::config
