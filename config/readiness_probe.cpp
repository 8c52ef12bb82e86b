#include "config/readiness_probe.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "config/text_formats.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::config {

namespace {

constexpr std::int64_t kMaxSeconds = 24 * 60 * 60;

/// Reads a whole number of at most `max`. `number` keeps its value if the key is missing or its
/// value is 0. Returns false for any other value.
template <class Number>
bool read_number_field(const json::Object& object, std::string_view key, std::int64_t max,
                       Number& number) {
  if (!object.has(key)) return true;
  const auto value = object.integer(key, 0, max);
  if (value && *value > 0) number = static_cast<Number>(*value);
  return value.has_value();
}

bool read_seconds(const json::Object& object, std::string_view key, Duration& duration) {
  std::int64_t count = 0;
  if (!read_number_field(object, key, kMaxSeconds, count)) return false;
  if (count > 0) duration = std::chrono::seconds(count);
  return true;
}

/// Reads a text of this format. `text` keeps its value if the key is missing or its value is empty.
/// Returns false for any other value.
bool read_text_field(const json::Object& object, std::string_view key, const TextFormat& format,
                     std::string& text) {
  if (!object.has(key)) return true;
  const auto value = object.text(key);
  if (!value) return false;
  if (value->empty()) return true;
  const auto read = format.read(*value);
  if (read) text = *read;
  return read.has_value();
}

/// Reads a path with a query. Kubernetes accepts one without the first slash, too.
std::optional<std::string> read_target(const std::string& text) {
  const bool is_visible = std::ranges::all_of(
      text, [](char letter) { return letter > ' ' && letter < 0x7f && letter != '#'; });
  if (text.empty() || !is_visible) return std::nullopt;
  return text.front() == '/' ? text : "/" + text;
}

void weaken(ReadinessProbe& probe, std::string_view why) {
  if (!probe.weakened.empty()) probe.weakened += ", ";
  probe.weakened += why;
}

/// Reads the members that httpGet, tcpSocket and grpc have in common.
bool read_address(const json::Object& object, ReadinessProbe& probe, ReadinessCheck& check) {
  if (!read_text_field(object, "host", host_format(), check.host)) return false;
  if (const auto name = object.text("port")) {
    weaken(probe, "port " + *name + " (a name; the app's port is probed)");
    return true;
  }
  return read_number_field(object, "port", std::numeric_limits<std::uint16_t>::max(), check.port);
}

bool read_probe_headers(const json::Object& http_get, ReadinessCheck& check) {
  if (!http_get.has("httpHeaders") || http_get.is_null("httpHeaders")) return true;
  const auto headers = http_get.objects("httpHeaders");
  if (!headers) return false;
  for (const json::Object& header : *headers) {
    const auto name = header.text("name");
    if (!name || name->empty()) return false;
    check.headers.emplace_back(*name, header.text("value").value_or(""));
  }
  return true;
}

bool read_http_get(const json::Object& http_get, ReadinessProbe& probe, ReadinessCheck& check) {
  std::string path = "/";  // Kubernetes' default
  if (http_get.has("path")) {
    const auto text = http_get.text("path");
    const auto target = text ? read_target(*text) : std::nullopt;
    if (!target) return false;
    path = *target;
  }
  if (!read_probe_headers(http_get, check) || !read_address(http_get, probe, check)) return false;
  const auto scheme = http_get.text("scheme");
  if (http_get.has("scheme") && !scheme) return false;
  if (scheme && *scheme != "HTTP" && !scheme->empty()) {
    weaken(probe, "scheme " + *scheme);
    return true;
  }
  check.path = path;
  return true;
}

bool read_times(const json::Object& object, ReadinessProbe& probe) {
  return read_seconds(object, "timeoutSeconds", probe.timeout) &&
         read_seconds(object, "periodSeconds", probe.period) &&
         read_number_field(object, "failureThreshold", 1'000'000, probe.failure_threshold);
}

/// Reads the one action of a probe.
bool read_action(const json::Object& object, ReadinessProbe& probe, ReadinessCheck& check) {
  constexpr std::array<std::string_view, 4> kActions = {"httpGet", "tcpSocket", "grpc", "exec"};
  const auto has = [&](std::string_view action) { return object.has(action); };
  if (std::ranges::count_if(kActions, has) != 1) return false;
  if (object.has("exec")) {
    weaken(probe, "exec");
    return true;
  }
  const std::string_view name = *std::ranges::find_if(kActions, has);
  const auto action = object.object(name);
  if (!action) return false;
  if (name == "httpGet") return read_http_get(*action, probe, check);
  if (name == "grpc") check.grpc_service = action->text("service").value_or("");
  return read_address(*action, probe, check);
}

bool has_more_than_an_address(const ReadinessProbe& probe) {
  return probe.grpc_service || !probe.headers.empty() || !probe.others.empty() ||
         !probe.weakened.empty() || probe.path.find('?') != std::string::npos;
}

std::optional<ReadinessProbe> read_json(std::string_view text) {
  const bool is_list = text.starts_with('[');
  const std::string wrapped =
      "{\"probes\":" + (is_list ? std::string(text) : "[" + std::string(text) + "]") + "}";
  const auto document = json::parse(wrapped);
  if (!document) return std::nullopt;
  const auto objects = document->objects("probes");
  if (!objects || objects->empty() || (!is_list && objects->size() > 1)) return std::nullopt;
  ReadinessProbe probe;
  std::vector<ReadinessCheck> checks;
  for (const json::Object& object : *objects) {
    if (!read_action(object, probe, checks.emplace_back())) return std::nullopt;
  }
  if (!read_times(objects->front(), probe)) return std::nullopt;
  ReadinessCheck& first = checks.front();
  probe.path = std::move(first.path);
  probe.host = std::move(first.host);
  probe.port = first.port;
  probe.headers = std::move(first.headers);
  probe.grpc_service = std::move(first.grpc_service);
  probe.others.assign(std::next(checks.begin()), checks.end());
  if (has_more_than_an_address(probe)) probe.text = text;
  return probe;
}

std::optional<std::string> read_probe_text(std::string_view text) {
  if (!read_readiness_probe(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<ReadinessProbe> read_readiness_probe(std::string_view text) {
  if (text.starts_with('{') || text.starts_with('[')) return read_json(text);
  if (auto service = read_grpc_check(text)) {
    return ReadinessProbe{.grpc_service = std::move(service), .text = std::string(text)};
  }
  const auto path = path_format().read(text);
  if (!path) return std::nullopt;
  return ReadinessProbe{.path = *path};
}

std::optional<std::string> read_grpc_check(std::string_view text) {
  constexpr std::string_view kCheck = "grpc";
  if (!text.starts_with(kCheck)) return std::nullopt;
  text.remove_prefix(kCheck.size());
  if (text.empty()) return std::string();
  const bool is_name = text.size() > 1 && text.front() == ':' &&
                       std::ranges::all_of(text.substr(1), [](char letter) {
                         return (letter >= 'a' && letter <= 'z') ||
                                (letter >= 'A' && letter <= 'Z') ||
                                (letter >= '0' && letter <= '9') || letter == '.' || letter == '_';
                       });
  if (!is_name) return std::nullopt;
  return std::string(text.substr(1));
}

std::string to_string(const ReadinessProbe& probe) {
  if (!probe.text.empty()) return probe.text;
  if (probe == ReadinessProbe{.path = probe.path}) return probe.path;
  json::Writer writer;
  writer.open(probe.path.empty() ? "tcpSocket" : "httpGet");
  if (!probe.path.empty()) writer.text("path", probe.path);
  if (!probe.host.empty()) writer.text("host", probe.host);
  if (probe.port != 0) writer.integer("port", probe.port);
  return writer.close()
      .integer("timeoutSeconds", probe.timeout / std::chrono::seconds(1))
      .integer("periodSeconds", probe.period / std::chrono::seconds(1))
      .integer("failureThreshold", probe.failure_threshold)
      .end();
}

TextFormat readiness_probe_format() {
  return {.want =
              "a path that starts with /, grpc, grpc:SERVICE, nothing, or the JSON of a Kubernetes "
              "probe (or a list of "
              "them) with httpGet, tcpSocket, grpc or exec and its times as whole numbers",
          .read = read_probe_text};
}

TextFormat readiness_path_format() {
  return {.want = "a path that starts with /, grpc, grpc:SERVICE, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (read_grpc_check(text)) return std::string(text);
            return path_format().read(text);
          }};
}

}  // namespace bellows::config
