#include "cluster/local/queue_proxy_contract.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"

namespace bellows::cluster {

namespace {

namespace json = boost::json;

/// Knative's ..._SECONDS variables: a bare number, with a fraction if need be.
std::string seconds_text(Duration duration) {
  std::string text = std::to_string(duration / std::chrono::seconds(1));
  const auto milliseconds = to_milliseconds(duration % std::chrono::seconds(1));
  if (milliseconds != 0) text += "." + std::to_string(1000 + milliseconds).substr(1);
  return text;
}

std::string probe_text(const std::string& readiness_path) {
  if (readiness_path.empty()) return R"({"tcpSocket":{}})";
  return json::serialize(json::object{{"httpGet", json::object{{"path", readiness_path}}}});
}

std::string_view text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

Error not_an_event(std::string_view line) {
  return Error(ErrorKind::kMalformed, "queue-proxy's notify pipe",
               "\"" + std::string(line.substr(0, 200)) + "\" is no event");
}

}  // namespace

std::map<std::string, std::string> queue_proxy_environment(const config::Service& service,
                                                           const QueueProxyPlace& place) {
  const config::RevisionSettings& settings = service.settings;
  std::map<std::string, std::string> environment = {
      {"SERVING_REVISION", service.name.text()},
      {"SERVING_POD", place.pod.text()},
      {"SERVING_READINESS_PROBE", probe_text(settings.readiness_path)},
      {"USER_PORT", std::to_string(place.app_port)},
      {"QUEUE_SERVING_PORT", "0"},
      {"BELLOWS_ADMIN_PORT", "0"},
      {"BELLOWS_LISTEN_HOST", "127.0.0.1"},
      {"CONTAINER_CONCURRENCY", std::to_string(settings.container_concurrency)},
      {"REVISION_TIMEOUT_SECONDS", seconds_text(settings.request_timeout)},
      {"REVISION_RESPONSE_START_TIMEOUT_SECONDS", seconds_text(settings.response_start_timeout)},
      {"REVISION_IDLE_TIMEOUT_SECONDS", seconds_text(settings.idle_timeout)},
      {"BELLOWS_BEHIND_ACTIVATOR", "true"},
      {"BELLOWS_LOG_LEVEL", "warning"},  // what it does, the cluster tells
      {"BELLOWS_ACCESS_LOG", "false"},   // the activator writes it
      {"BELLOWS_QUEUE_DEPTH", ""},       // that of our environment is meant for the activator
      {"BELLOWS_QUEUE_BYTES", to_string(settings.queue_bytes)},
      {"BELLOWS_QUEUE_AGE", duration_text(settings.queue_age)},
      {"BELLOWS_DRAIN_TIMEOUT", duration_text(settings.drain_time())},
      {"BELLOWS_STABLE_WINDOW", duration_text(settings.window)},
  };
  if (!place.autoscaler_url.empty()) environment["BELLOWS_AUTOSCALER"] = place.autoscaler_url;
  if (!place.log_format.empty()) environment["BELLOWS_LOG_FORMAT"] = place.log_format;
  return environment;
}

Result<std::optional<ProxyEvent>> parse_proxy_event(std::string_view line) {
  boost::system::error_code error;
  const json::value value = json::parse({line.data(), line.size()}, error);
  if (error || !value.is_object()) return fail(not_an_event(line));
  const json::object& object = value.get_object();
  const std::string_view event = text_of(object, "event");
  if (event == "ready") return ProxyReady{};
  if (event == "draining") return ProxyDraining{};
  if (event == "unready") return ProxyUnready{std::string(text_of(object, "reason"))};
  if (event == "listening") {
    BELLOWS_TRY(Endpoint serving, parse_endpoint(text_of(object, "serving")));
    BELLOWS_TRY(Endpoint admin, parse_endpoint(text_of(object, "admin")));
    return ProxyListening{std::move(serving), std::move(admin)};
  }
  if (event.empty()) return fail(not_an_event(line));
  return std::nullopt;
}

}  // namespace bellows::cluster
