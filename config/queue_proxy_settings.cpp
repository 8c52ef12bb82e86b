#include "config/queue_proxy_settings.hpp"

#include <algorithm>
#include <vector>

#include "config/request_declarations.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

std::optional<std::string> read_secret(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return std::nullopt;
  }
  return std::string(text);
}

/// The format of a text that becomes part of a header line.
TextFormat secret_format() {
  return {.want = "visible ASCII characters, or nothing", .read = read_secret};
}

using namespace std::chrono_literals;
using Proxies = Schema<QueueProxySettings>;

void declare_stats(Proxies& schema) {
  schema.add(&QueueProxySettings::autoscaler,
             {.name = "autoscaler",
              .help = "WebSocket that receives the stats of this replica every second.",
              .unset = "no stats are sent"});
  schema.add(
      &QueueProxySettings::stat_secret,
      {.name = "stat-secret",
       .format = secret_format(),
       .help = "Secret that authenticates the stats of this replica; on one machine each replica "
               "has its own. Set it only in the environment, because every user can see arguments.",
       .unset = "no secret"});
}

void declare_identity(Proxies& schema) {
  schema.group("Identity");
  schema.add(&QueueProxySettings::revision,
             {.name = "revision",
              .variable = "SERVING_REVISION",
              .help = "Name of the revision in stats and in the access log."});
  schema.add(
      &QueueProxySettings::pod,
      {.name = "pod",
       .variable = "SERVING_POD",
       .help = "Name of the replica in stats, access log and errors; unique within the revision."});
  schema.add(&QueueProxySettings::name_space,
             {.name = "namespace",
              .variable = "SERVING_NAMESPACE",
              .help = "Accepted for compatibility with Knative; not used."});
}

void declare_proxy_addresses(Proxies& schema) {
  schema.group("Addresses");
  schema.add(&QueueProxySettings::listen_host,
             {.name = "listen-host",
              .format = host_format(),
              .help = "Address to listen on, for requests and admin requests."});
  schema.add(&QueueProxySettings::serving_port,
             {.name = "queue-serving-port",
              .variable = "QUEUE_SERVING_PORT",
              .bounds = at_least(0),
              .help = "Port for requests. 0: chosen by the system."});
  schema.add(&QueueProxySettings::admin_port,
             {.name = "admin-port",
              .bounds = at_least(0),
              .help = "Port for /metrics, /healthz and /readyz. 0: chosen by the system."});
  schema.add(
      &QueueProxySettings::activator_port,
      {.name = "activator-port",
       // Not BELLOWS_ACTIVATOR_PORT: Kubernetes sets that beside a Service bellows-activator.
       .variable = "QUEUE_SERVING_ACTIVATOR_PORT",
       .bounds = at_least(0),
       .help = "Port for activators: their internal headers are trusted there, they get "
               "X-Bellows-In-Flight, and the Forwarded header is left to them. Set it where "
               "other callers use queue-serving-port. 0: chosen by the system.",
       .unset = "none"});
  schema.add(&QueueProxySettings::drain_port,
             {.name = "drain-port",
              .bounds = at_least(0),
              .help = "Port for the preStop hooks of a pod. GET /drain begins the drain and "
                      "responds when it has ended; it is undone after 10s without SIGTERM. GET "
                      "/drain/pod is the same for a hook of this container, and lasts. 0: chosen "
                      "by the system.",
              .unset = "none"});
  schema.add(&QueueProxySettings::user_host,
             {.name = "user-host",
              .format = host_format(),
              .help = "Host of the app. All addresses of a name are tried."});
  schema.add(&QueueProxySettings::user_port, {.name = "user-port",
                                              .variable = "USER_PORT",
                                              .bounds = at_least(1),
                                              .required = true,
                                              .help = "Port of the app."});
  declare_stats(schema);
  schema.add(&QueueProxySettings::behind_activator,
             {.name = "behind-activator",
              .help = "Every caller of queue-serving-port is an activator, as on one machine: "
                      "trust its internal headers and leave the Forwarded header to it. Set it "
                      "only if no other caller can reach the port; otherwise set activator-port."});
  schema.add(&QueueProxySettings::notify_fd,
             {.name = "notify-fd",
              .bounds = at_least(-1),
              .help = "Inherited file descriptor that receives listening and "
                      "readiness events (docs/formats/wire.md). -1: none."});
}

void declare_proxy_limits(Proxies& schema) {
  schema.group("Limits");
  schema.add(&QueueProxySettings::container_concurrency,
             {.name = "container-concurrency",
              .variable = "CONTAINER_CONCURRENCY",
              .bounds = between(0, 1000),
              .help = "Maximum number of requests that the app handles at once. 0: no limit."});
  schema.add(&QueueProxySettings::queue_depth,
             {.name = "queue-depth",
              .bounds = between(0, 1'000'000),
              .help = "Maximum number of requests queued for the app; further requests get 503.",
              .unset = "10 times container-concurrency"});
  declare_queue(schema);
  declare_error_detail(schema);
  declare_app_protocol(schema);
  schema.add_choice(&QueueProxySettings::queue_time_header, queue_time_header_names(),
                    {.name = "queue-time-header",
                     .help = "Responses to callers other than activators that carry "
                             "X-Bellows-Queue-Ms, the time in the queue. asked: if the request has "
                             "this header; waited: also if the request was queued; always: all."});
  schema.add(
      &QueueProxySettings::request_timeout,
      {.name = "revision-timeout",
       .variable = "REVISION_TIMEOUT_SECONDS",
       .bounds = between(0s, 24h),
       .help = "Time limit from the arrival of a request to the end of its response. 0s: no limit. "
               "Of a tunnel (WebSocket) only its start counts: max-tunnel-life bounds the rest."});
  schema.add(&QueueProxySettings::response_start_timeout,
             {.name = "revision-response-start-timeout",
              .variable = "REVISION_RESPONSE_START_TIMEOUT_SECONDS",
              .bounds = between(0s, 24h),
              .help = "Time limit from passing the request to the app until its response begins. "
                      "0s: same as revision-timeout."});
  schema.add(&QueueProxySettings::idle_timeout,
             {.name = "revision-idle-timeout",
              .variable = "REVISION_IDLE_TIMEOUT_SECONDS",
              .bounds = between(0s, 24h),
              .help = "Time limit without data in either direction. 0s: no limit. A tunnel whose "
                      "app has ended waits at most 10s for its caller."});
  declare_tunnel_life(schema);
}

void declare_proxy_life(Proxies& schema) {
  schema.group("App");
  schema.add(&QueueProxySettings::readiness,
             {.name = "readiness-probe",
              .variable = "SERVING_READINESS_PROBE",
              .format = readiness_probe_format(),
              .help = "Readiness check: a path that responds with 200 to 399, or the JSON of a "
                      "Kubernetes probe (or a list, of which all must succeed) with host, port, "
                      "httpHeaders, timeoutSeconds, periodSeconds and failureThreshold. Its "
                      "initialDelaySeconds and successThreshold have no effect. HTTPS and exec "
                      "become a TCP connect, with a warning in the log.",
              .unset = "a TCP connect"});
  schema.add(
      &QueueProxySettings::liveness,
      {.name = "liveness-probe",
       .format = readiness_probe_format(),
       .help = "Liveness check that finds an app that hangs, in the forms of readiness-probe. The "
               "parent process gets its failure and restarts the app, so it needs a notify-fd. In "
               "a pod set the livenessProbe of the app's container instead.",
       .unset = "the app is not probed"});
  schema.add(&QueueProxySettings::probe_interval,
             {.name = "probe-interval",
              .bounds = between(1ms, 1min),
              .help = "Interval between probes while the app starts.",
              .unset = "5ms for an app on this machine, else 25ms"});
  schema.add(&QueueProxySettings::probe_user_agents,
             {.name = "probe-user-agents",
              .format = agent_list_format(),
              .help = "Requests whose User-Agent begins with one of these are probes: they get 200 "
                      "or 503 without reaching the app and do not count as load. kube-probe/ and "
                      "Knative's probes always are.",
              .unset = "no others"});
  schema.add(&QueueProxySettings::probe_paths,
             {.name = "probe-paths",
              .format = path_list_format(),
              .help = "Requests for these paths are probes, as with probe-user-agents.",
              .unset = "none"});
  schema.add(
      &QueueProxySettings::drain_timeout,
      {.name = "drain-timeout",
       .bounds = between(0s, 24h),
       .help =
           "Time in which requests may finish after SIGTERM; then they are aborted. 0s: at once.",
       .unset = "revision-timeout, or 5m if that is 0s"});
  schema.add(
      &QueueProxySettings::drain_quiet_time,
      {.name = "drain-quiet-time",
       .bounds = between(0s, 10min),
       .help = "A drain ends when no request is left, and for this time neither a request nor a "
               "connection has arrived; always within drain-timeout. Probes do not count. Set it "
               "if callers learn late that this replica ends: nodes of a cluster take seconds."});
  schema.add(&QueueProxySettings::stable_window,
             {.name = "stable-window",
              .bounds = in_whole_seconds(between(2s, 1h)),
              .help = "Length of the stats history that the autoscaler gets again after a lost "
                      "connection. Set it to the window of the revision."});
}

bool have_different_ports(const QueueProxySettings& s) {
  std::vector<std::uint16_t> ports = {s.serving_port, s.admin_port, s.activator_port.value_or(0),
                                      s.drain_port.value_or(0)};
  std::erase(ports, 0);
  std::ranges::sort(ports);
  return std::ranges::adjacent_find(ports) == ports.end();
}

void add_rules(Proxies& schema) {
  add_time_limit_rules(schema);
  schema.add_rule({{"queue-serving-port", "admin-port", "activator-port", "drain-port"},
                   have_different_ports,
                   "different ports, or 0"});
  schema.add_rule(
      {{"behind-activator", "activator-port"},
       [](const QueueProxySettings& s) { return !s.behind_activator || !s.activator_port; },
       "one of the two"});
  schema.add_rule({{"liveness-probe", "notify-fd"},
                   [](const QueueProxySettings& s) { return !s.liveness || s.notify_fd >= 0; },
                   "a notify-fd, whose reader restarts the app; in a pod set the livenessProbe of "
                   "the app's container instead"});
  schema.add_rule({{"autoscaler", "revision", "pod"},
                   [](const QueueProxySettings& s) {
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
    declare_proxy_addresses(declared);
    declare_proxy_limits(declared);
    declare_proxy_life(declared);
    add_rules(declared);
    declared.include(&QueueProxySettings::server, server_schema());
    declared.include(&QueueProxySettings::log, log_schema());
    declared.include(&QueueProxySettings::access_log, access_log_schema());
    declared.include(&QueueProxySettings::trace, trace_schema());
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
