#include "cluster/local/queue_proxy_contract.hpp"

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"
#include "base/read_number.hpp"
#include "config/readiness_probe.hpp"
#include "config/schema.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::cluster {

namespace {

constexpr std::int64_t kMaxSilence = std::int64_t{100} * 365 * 24 * 60 * 60 * 1000;

/// Returns the text of Knative's ..._SECONDS variables: a number without a unit.
std::string seconds_text(Duration duration) {
  std::string text = std::to_string(duration / std::chrono::seconds(1));
  const auto milliseconds = to_milliseconds(duration % std::chrono::seconds(1));
  if (milliseconds != 0) text += "." + std::to_string(1000 + milliseconds).substr(1);
  return text;
}

std::string probe_text(const std::string& readiness_path) {
  if (config::read_grpc_check(readiness_path)) return readiness_path;
  if (readiness_path.empty()) return R"({"tcpSocket":{}})";
  return json::Writer().open("httpGet").text("path", readiness_path).close().end();
}

/// Returns the liveness setting; empty: the app is not probed. One that was started by a command
/// may be no child of ours, so only a probe finds its end.
std::string liveness_text(const config::Service& service) {
  const config::RevisionSettings& settings = service.settings;
  const std::string what =
      settings.liveness_path.empty() && service.is_starter ? "tcp" : settings.liveness_path;
  if (what.empty()) return {};
  json::Writer probe;
  if (what.front() == '/') {
    probe.open("httpGet").text("path", what).close();
  } else {
    probe.open("tcpSocket").integer("port", read_number<std::uint16_t>(what).value_or(0)).close();
  }
  return probe.integer("timeoutSeconds", settings.liveness_timeout / std::chrono::seconds(1))
      .integer("periodSeconds", settings.liveness_period / std::chrono::seconds(1))
      .integer("failureThreshold", settings.liveness_threshold)
      .end();
}

/// Adds the settings of the port for requests: those of the whole program, except limits of its
/// callers' connections. They replace what the environment of this process has for the activator.
void add_server(const config::ServerSettings& server,
                std::map<std::string, std::string>& environment) {
  const auto& schema = config::schema_of<config::ServerSettings>();
  for (const config::Declaration& setting : schema.declarations()) {
    environment[setting.variable] = "";
  }
  config::ServerSettings own = server;
  const config::ServerSettings defaults;
  own.max_connections = defaults.max_connections;
  own.max_client_connections = defaults.max_client_connections;
  own.idle_timeout = defaults.idle_timeout;
  own.max_connection_age = defaults.max_connection_age;
  for (const auto& [name, text] : schema.texts(own)) {
    environment[config::variable_name(name)] = text;
  }
}

void add_trace(const config::TraceSettings& trace,
               std::map<std::string, std::string>& environment) {
  const auto& schema = config::schema_of<config::TraceSettings>();
  for (const config::Declaration& setting : schema.declarations()) {
    environment[setting.variable] = setting.default_text;
  }
  for (const auto& [name, text] : schema.texts(trace)) {
    environment[config::variable_name(name)] = text;
  }
}

Error not_an_event(std::string_view line) {
  return Error(ErrorKind::kMalformed, "queue-proxy's notify pipe",
               "\"" + std::string(line.substr(0, 200)) + "\" is not an event");
}

}  // namespace

std::map<std::string, std::string> queue_proxy_environment(const config::Service& service,
                                                           const QueueProxySpec& spec) {
  const config::RevisionSettings& settings = service.settings;
  std::map<std::string, std::string> environment = {
      {"SERVING_SERVICE", service.service().text()},
      {"SERVING_REVISION", service.name.text()},
      {"SERVING_POD", spec.pod.text()},
      {"SERVING_READINESS_PROBE", probe_text(settings.readiness_path)},
      {"BELLOWS_LIVENESS_PROBE", liveness_text(service)},
      {"USER_PORT", std::to_string(spec.app_port)},
      {"QUEUE_SERVING_PORT", "0"},
      {"BELLOWS_ADMIN_PORT", std::to_string(spec.admin_port)},
      {"BELLOWS_LISTEN_HOST", "127.0.0.1"},
      {"CONTAINER_CONCURRENCY", std::to_string(settings.container_concurrency)},
      {"REVISION_TIMEOUT_SECONDS", seconds_text(settings.request_timeout)},
      {"REVISION_RESPONSE_START_TIMEOUT_SECONDS", seconds_text(settings.response_start_timeout)},
      {"REVISION_IDLE_TIMEOUT_SECONDS", seconds_text(settings.idle_timeout)},
      {"BELLOWS_MAX_TUNNEL_LIFE", duration_text(settings.max_tunnel_life)},
      {"BELLOWS_APP_PROTOCOL", config::to_string(settings.app_protocol)},
      {"BELLOWS_BEHIND_ACTIVATOR", "true"},
      {"BELLOWS_LOG_LEVEL", "warning"},  // the cluster logs the events of its queue-proxies
      {"BELLOWS_ACCESS_LOG", "false"},   // the activator writes it
      {"BELLOWS_ERROR_DETAIL",
       spec.error_detail == config::ErrorDetail::kFull ? "full" : "generic"},
      {"BELLOWS_STAT_SECRET", spec.stat_secret},
      {"BELLOWS_QUEUE_DEPTH", ""},  // the inherited value is for the activator
      {"BELLOWS_QUEUE_BYTES", to_string(settings.queue_bytes)},
      {"BELLOWS_QUEUE_AGE", duration_text(settings.queue_age)},
      {"BELLOWS_DRAIN_TIMEOUT", duration_text(settings.drain_time())},
      {"BELLOWS_WINDOW", duration_text(settings.window)},
  };
  add_server(spec.server, environment);
  add_trace(spec.trace, environment);
  if (!spec.autoscaler_url.empty()) environment["BELLOWS_AUTOSCALER"] = spec.autoscaler_url;
  if (!spec.log_format.empty()) environment["BELLOWS_LOG_FORMAT"] = spec.log_format;
  return environment;
}

Result<std::optional<ProxyEvent>> parse_proxy_event(std::string_view line) {
  const auto object = json::parse(line);
  if (!object) return fail(not_an_event(line));
  const std::string event = object->text("event").value_or("");
  if (event.empty()) return fail(not_an_event(line));
  if (event == "ready") return ProxyReady{object->text("app_protocol").value_or("")};
  if (event == "draining") return ProxyDraining{};
  if (event == "tunnels-left") return ProxyTunnelsLeft{};
  if (event == "signalled") return ProxySignalled{};
  if (event == "unready") return ProxyUnready{object->text("reason").value_or("")};
  if (event == "hung") {
    BELLOWS_TRY(const std::int64_t silent, object->integer("silent_ms", 0, kMaxSilence));
    return ProxyHung{object->text("reason").value_or(""), std::chrono::milliseconds(silent)};
  }
  if (event == "listening") {
    BELLOWS_TRY(Endpoint serving, parse_endpoint(object->text("serving").value_or("")));
    BELLOWS_TRY(Endpoint admin, parse_endpoint(object->text("admin").value_or("")));
    return ProxyListening{std::move(serving), std::move(admin)};
  }
  return std::nullopt;
}

}  // namespace bellows::cluster
