#include "config/readiness_probe.hpp"

#include <boost/json.hpp>
#include <limits>

#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr std::int64_t kLongestSeconds = 24 * 60 * 60;

std::string_view view(const json::string& text) {
  return {text.data(), text.size()};
}

/// A whole number of at most `most`; 0 and a missing one leave `number` as it is. False: neither.
template <class Number>
bool take_number(const json::object& object, std::string_view key, std::int64_t max,
                 Number& number) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  if (value == nullptr) return true;
  if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > max) return false;
  if (value->get_int64() > 0) number = static_cast<Number>(value->get_int64());
  return true;
}

bool take_seconds(const json::object& object, std::string_view key, Duration& duration) {
  std::int64_t count = 0;
  if (!take_number(object, key, kLongestSeconds, count)) return false;
  if (count > 0) duration = seconds(count);
  return true;
}

/// As the form wants it; a missing or empty one leaves `text` as it is. False: not so.
bool take_text(const json::object& object, std::string_view key, const TextFormat& format,
               std::string& text) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  if (value == nullptr) return true;
  if (!value->is_string()) return false;
  if (value->get_string().empty()) return true;
  const auto read = format.read(view(value->get_string()));
  if (read) text = *read;
  return read.has_value();
}

/// What httpGet and tcpSocket have in common.
bool take_place(const json::object& object, ReadinessProbe& probe) {
  return take_text(object, "host", host_format(), probe.host) &&
         take_number(object, "port", std::numeric_limits<std::uint16_t>::max(), probe.port);
}

bool take_http(const json::object& http_get, ReadinessProbe& probe) {
  if (const json::value* scheme = http_get.if_contains("scheme")) {
    if (!scheme->is_string() || scheme->get_string() != "HTTP") return false;
  }
  const json::value* path = http_get.if_contains("path");
  if (path != nullptr && path->is_string() && path->get_string().empty()) return false;
  probe.path = "/";  // Kubernetes' default
  return take_text(http_get, "path", path_format(), probe.path) && take_place(http_get, probe);
}

bool take_times(const json::object& object, ReadinessProbe& probe) {
  return take_seconds(object, "timeoutSeconds", probe.timeout) &&
         take_seconds(object, "periodSeconds", probe.period) &&
         take_number(object, "failureThreshold", 1'000'000, probe.failure_threshold);
}

std::optional<std::string> read_text(std::string_view text) {
  if (!read_readiness_probe(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<ReadinessProbe> read_readiness_probe(std::string_view text) {
  ReadinessProbe probe;
  if (!text.starts_with('{')) {
    const auto path = path_format().read(text);
    if (!path) return std::nullopt;
    probe.path = *path;
    return probe;
  }
  json::error_code code;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), code);
  if (code || !parsed.is_object()) return std::nullopt;
  const json::object& object = parsed.get_object();
  const json::value* http_get = object.if_contains("httpGet");
  const json::value* tcp_socket = object.if_contains("tcpSocket");
  if ((http_get == nullptr) == (tcp_socket == nullptr)) return std::nullopt;
  const json::value& how = http_get != nullptr ? *http_get : *tcp_socket;
  if (!how.is_object()) return std::nullopt;
  const bool is_valid = http_get != nullptr ? take_http(how.get_object(), probe)
                                            : take_place(how.get_object(), probe);
  if (!is_valid || !take_times(object, probe)) return std::nullopt;
  return probe;
}

std::string to_string(const ReadinessProbe& probe) {
  ReadinessProbe plain;
  plain.path = probe.path;
  if (probe == plain) return probe.path;
  json::object place;
  if (!probe.path.empty()) place["path"] = probe.path;
  if (!probe.host.empty()) place["host"] = probe.host;
  if (probe.port != 0) place["port"] = probe.port;
  return json::serialize(json::object{{probe.path.empty() ? "tcpSocket" : "httpGet", place},
                                      {"timeoutSeconds", probe.timeout / seconds(1)},
                                      {"periodSeconds", probe.period / seconds(1)},
                                      {"failureThreshold", probe.failure_threshold}});
}

TextFormat readiness_probe_format() {
  return {.want =
              "a path that starts with /, nothing, or the JSON of a Kubernetes probe with "
              "tcpSocket or with httpGet of the scheme HTTP, its port and its times as whole "
              "numbers",
          .read = read_text};
}

}  // namespace bellows::config
