#include "config/queue_proxy_settings.hpp"

#include "config/request_declarations.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Settings = QueueProxySettings;
using Proxies = Schema<QueueProxySettings>;

void declare_identity(Proxies& schema) {
  schema.group("Who it stands for");
  schema.add(&Settings::revision, {.name = "revision",
                                   .variable = "SERVING_REVISION",
                                   .help = "The revision in stats and in the access log."});
  schema.add(&Settings::pod, {.name = "pod",
                              .variable = "SERVING_POD",
                              .help = "The replica's name in stats, the access log and errors, "
                                      "unique within the revision."});
  schema.add(&Settings::name_space, {.name = "namespace",
                                     .variable = "SERVING_NAMESPACE",
                                     .help = "Knative tells it. Nothing here depends on it."});
}

void declare_addresses(Proxies& schema) {
  schema.group("Addresses");
  schema.add(&Settings::listen_host, {.name = "listen-host",
                                      .format = host_format(),
                                      .help = "Where to take requests and admin calls."});
  schema.add(&Settings::serving_port, {.name = "queue-serving-port",
                                       .variable = "QUEUE_SERVING_PORT",
                                       .bounds = at_least(0),
                                       .help = "For requests. 0: the system picks one."});
  schema.add(&Settings::admin_port,
             {.name = "admin-port",
              .bounds = at_least(0),
              .help = "For /metrics, /healthz and /readyz. 0: the system picks one."});
  schema.add(&Settings::user_host,
             {.name = "user-host",
              .format = host_format(),
              .help = "The host of the app; of a name all addresses are tried."});
  schema.add(&Settings::user_port, {.name = "user-port",
                                    .variable = "USER_PORT",
                                    .bounds = at_least(1),
                                    .required = true,
                                    .help = "The port on which the app listens."});
  schema.add(&Settings::autoscaler, {.name = "autoscaler",
                                     .help = "Where stats go, each second, over WebSocket.",
                                     .unset = "stats go nowhere"});
  schema.add(
      &Settings::behind_activator,
      {.name = "behind-activator",
       .help = "Every caller is an activator: believe its internal headers, and leave Forwarded "
               "to it. Only where nobody else reaches the port."});
  schema.add(&Settings::notify_fd, {.name = "notify-fd",
                                    .bounds = at_least(-1),
                                    .help = "An inherited descriptor to tell about open ports and "
                                            "readiness (docs/notify.md). -1: none."});
}

void declare_limits(Proxies& schema) {
  schema.group("Limits");
  schema.add(&Settings::container_concurrency,
             {.name = "container-concurrency",
              .variable = "CONTAINER_CONCURRENCY",
              .bounds = between(0, 1000),
              .help = "Requests that the app gets at once. 0 is no limit."});
  schema.add(&Settings::queue_depth,
             {.name = "queue-depth",
              .bounds = between(0, 1'000'000),
              .help = "Requests that may wait for the app; one more is answered with 503.",
              .unset = "10 times container-concurrency"});
  declare_line(schema);
  schema.add_choice(&Settings::queue_time_header, queue_time_header_names(),
                    {.name = "queue-time-header",
                     .help = "Which answers to callers other than activators tell how long their "
                             "request waited (X-Bellows-Queue-Ms): those to requests that have "
                             "this header, also those that waited, or all."});
  schema.add(
      &Settings::request_timeout,
      {.name = "revision-timeout",
       .variable = "REVISION_TIMEOUT_SECONDS",
       .bounds = between(0s, 24h),
       .help =
           "The longest from the arrival of a request to the end of its answer. 0s is no limit."});
  schema.add(&Settings::response_start_timeout,
             {.name = "revision-response-start-timeout",
              .variable = "REVISION_RESPONSE_START_TIMEOUT_SECONDS",
              .bounds = between(0s, 24h),
              .help = "The longest from when the app gets a request until its response begins. 0s: "
                      "as revision-timeout."});
  schema.add(&Settings::idle_timeout,
             {.name = "revision-idle-timeout",
              .variable = "REVISION_IDLE_TIMEOUT_SECONDS",
              .bounds = between(0s, 24h),
              .help = "The longest silence within a request, in both directions. 0s is no limit. A "
                      "tunnel whose app has ended waits no longer than 10s for its caller."});
}

void declare_life(Proxies& schema) {
  schema.group("Life of the app");
  schema.add(&Settings::readiness,
             {.name = "readiness-probe",
              .variable = "SERVING_READINESS_PROBE",
              .format = readiness_probe_format(),
              .help = "How to see that the app is ready: by a path that answers 200 to 399, or by "
                      "the JSON of a Kubernetes probe, of which host, port, timeoutSeconds, "
                      "periodSeconds and failureThreshold count too. Its httpHeaders are not sent; "
                      "its initialDelaySeconds and successThreshold change nothing.",
              .unset = "a TCP connect"});
  schema.add(&Settings::probe_interval, {.name = "probe-interval",
                                         .bounds = between(1ms, 1min),
                                         .help = "Between two probes while the app starts.",
                                         .unset = "5ms for an app on this machine, else 25ms"});
  schema.add(&Settings::probe_user_agents,
             {.name = "probe-user-agents",
              .format = agent_list_format(),
              .help = "Requests whose User-Agent begins like that are answered for the app, 200 "
                      "or 503, and are no load. kube-probe/ and Knative's always are.",
              .unset = "no further ones"});
  schema.add(&Settings::probe_paths,
             {.name = "probe-paths",
              .format = path_list_format(),
              .help = "Requests for these paths are answered for the app, 200 or 503, and are no "
                      "load.",
              .unset = "none"});
  schema.add(&Settings::drain_timeout, {.name = "drain-timeout",
                                        .bounds = between(0s, 24h),
                                        .help = "The longest that requests may go on after "
                                                "SIGTERM; then they are cut off. 0s: at once.",
                                        .unset = "revision-timeout, or 5m if that is 0s"});
  schema.add(&Settings::stable_window,
             {.name = "stable-window",
              .bounds = in_whole_seconds(between(2s, 1h)),
              .help = "How much history the autoscaler gets again after a lost connection: the "
                      "revision's window."});
}

void add_rules(Proxies& schema) {
  add_time_limit_rules(schema);
  schema.add_rule(
      {{"queue-serving-port", "admin-port"},
       [](const Settings& s) { return s.serving_port == 0 || s.serving_port != s.admin_port; },
       "two ports, or 0"});
  schema.add_rule({{"autoscaler", "revision", "pod"},
                   [](const Settings& s) {
                     return s.autoscaler.empty() || (!s.revision.empty() && !s.pod.empty());
                   },
                   "revision and pod, because stats name both"});
}

}  // namespace

std::int64_t QueueProxySettings::waiting_limit() const {
  return queue_depth.value_or(std::int64_t{10} * container_concurrency);
}

Duration QueueProxySettings::starting_probe_interval() const {
  const bool is_here =
      user_host == "localhost" || user_host == "::1" || user_host.starts_with("127.");
  return probe_interval.value_or(is_here ? 5ms : 25ms);
}

const Schema<QueueProxySettings>& queue_proxy_schema() {
  static const Proxies schema = [] {
    Proxies declared;
    declare_identity(declared);
    declare_addresses(declared);
    declare_limits(declared);
    declare_life(declared);
    add_rules(declared);
    declared.include(&Settings::log, log_schema());
    declared.include(&Settings::access_log, access_log_schema());
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
