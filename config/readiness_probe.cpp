#include "config/readiness_probe.hpp"

#include <limits>

#include "config/text_formats.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::config {

namespace {

using std::chrono::seconds;

constexpr std::int64_t kMaxSeconds = 24 * 60 * 60;

/// Reads a whole number of at most `max`. `number` keeps its value if the key is missing or its
/// value is 0. Returns false if the value is anything else.
template <class Number>
bool read_number(const json::Object& object, std::string_view key, std::int64_t max,
                 Number& number) {
  if (!object.has(key)) return true;
  const auto value = object.integer(key, 0, max);
  if (value && *value > 0) number = static_cast<Number>(*value);
  return value.has_value();
}

bool read_seconds(const json::Object& object, std::string_view key, Duration& duration) {
  std::int64_t count = 0;
  if (!read_number(object, key, kMaxSeconds, count)) return false;
  if (count > 0) duration = seconds(count);
  return true;
}

/// Reads a text of this format. `text` keeps its value if the key is missing or its value is empty.
/// Returns false if the value is anything else.
bool read_text(const json::Object& object, std::string_view key, const TextFormat& format,
               std::string& text) {
  if (!object.has(key)) return true;
  const auto value = object.text(key);
  if (!value) return false;
  if (value->empty()) return true;
  const auto read = format.read(*value);
  if (read) text = *read;
  return read.has_value();
}

/// Reads the members that httpGet and tcpSocket have in common.
bool read_address(const json::Object& object, ReadinessProbe& probe) {
  return read_text(object, "host", host_format(), probe.host) &&
         read_number(object, "port", std::numeric_limits<std::uint16_t>::max(), probe.port);
}

bool read_http_get(const json::Object& http_get, ReadinessProbe& probe) {
  if (http_get.has("scheme") && http_get.text("scheme") != "HTTP") return false;
  if (http_get.text("path") == "") return false;
  probe.path = "/";  // Kubernetes' default
  return read_text(http_get, "path", path_format(), probe.path) && read_address(http_get, probe);
}

bool read_times(const json::Object& object, ReadinessProbe& probe) {
  return read_seconds(object, "timeoutSeconds", probe.timeout) &&
         read_seconds(object, "periodSeconds", probe.period) &&
         read_number(object, "failureThreshold", 1'000'000, probe.failure_threshold);
}

std::optional<ReadinessProbe> read_json(std::string_view text) {
  const auto object = json::parse(text);
  if (!object || object->has("httpGet") == object->has("tcpSocket")) return std::nullopt;
  const bool is_http = object->has("httpGet");
  const auto action = object->object(is_http ? "httpGet" : "tcpSocket");
  if (!action) return std::nullopt;
  ReadinessProbe probe;
  if (!(is_http ? read_http_get(*action, probe) : read_address(*action, probe)))
    return std::nullopt;
  return read_times(*object, probe) ? std::optional(probe) : std::nullopt;
}

std::optional<std::string> read_probe_text(std::string_view text) {
  if (!read_readiness_probe(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<ReadinessProbe> read_readiness_probe(std::string_view text) {
  if (text.starts_with('{')) return read_json(text);
  const auto path = path_format().read(text);
  if (!path) return std::nullopt;
  return ReadinessProbe{.path = *path};
}

std::string to_string(const ReadinessProbe& probe) {
  if (probe == ReadinessProbe{.path = probe.path}) return probe.path;
  json::Writer writer;
  writer.open(probe.path.empty() ? "tcpSocket" : "httpGet");
  if (!probe.path.empty()) writer.text("path", probe.path);
  if (!probe.host.empty()) writer.text("host", probe.host);
  if (probe.port != 0) writer.integer("port", probe.port);
  return writer.close()
      .integer("timeoutSeconds", probe.timeout / seconds(1))
      .integer("periodSeconds", probe.period / seconds(1))
      .integer("failureThreshold", probe.failure_threshold)
      .end();
}

TextFormat readiness_probe_format() {
  return {.want =
              "a path that starts with /, nothing, or the JSON of a Kubernetes probe with "
              "tcpSocket or with httpGet of the scheme HTTP, its port and its times as whole "
              "numbers",
          .read = read_probe_text};
}

}  // namespace bellows::config
