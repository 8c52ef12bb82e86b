// Settings of a service: its requests, its app, its replicas.
#include "config/activator_settings.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/readiness_probe.hpp"
#include "config/revision_settings.hpp"
#include "config/route.hpp"
#include "config/static_answers.hpp"
#include "config/table.hpp"
#include "config/text_formats.hpp"
#include "config/waiting_page.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

constexpr Bounds kCpus = between(Millicores{1}, Millicores{1'000'000});
constexpr Bounds kMemory = between(mebibytes(1), mebibytes(16 * 1024 * 1024));

TextFormat header_name_format() {
  return {.want = "the name of a header field, such as X-User, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.empty()) return std::string();
            auto match = read_header_match(text);
            if (!match || match->value) return std::nullopt;
            return std::move(match->name);
          }};
}

TextFormat page_format() {
  return {.want = "built-in, the path of a file that ends with .html, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!text.empty() && text != kBuiltInPage && !text.ends_with(".html")) {
              return std::nullopt;
            }
            return std::string(text);
          }};
}

TextFormat static_answers_format() {
  return {.want =
              "a list of path, status, body and headers, as in "
              "[{\"path\":\"/healthz\",\"status\":200,\"body\":\"ok\"}], or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!read_static_answers(text)) return std::nullopt;
            return std::string(text);
          }};
}

TextFormat service_format() {
  return {.want = "the name of a service, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!text.empty() && !name_format().read(text)) return std::nullopt;
            return std::string(text);
          }};
}

constexpr Setting kLimits[] = {
    {.name = "revision-timeout",
     .at = {at<&RevisionSettings::request_timeout>, at<&QueueProxySettings::request_timeout>},
     .tier = Tier::kMain,
     .bounds = between(0s, 24h),
     .help = "Time limit of a whole request. 0s: no limit. Of a tunnel (WebSocket) only "
             "its start counts: max-tunnel-life bounds the rest.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "revision-response-start-timeout",
     .at = {at<&RevisionSettings::response_start_timeout>,
            at<&QueueProxySettings::response_start_timeout>},
     .bounds = between(0s, 24h),
     .help = "Time limit from passing the request to the app until its response begins. "
             "0s: same as revision-timeout.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "revision-idle-timeout",
     .at = {at<&RevisionSettings::idle_timeout>, at<&QueueProxySettings::idle_timeout>},
     .bounds = between(0s, 24h),
     .help = "Time limit without data in either direction. 0s: no limit. A tunnel whose "
             "app has ended waits at most 10s for its caller.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "max-tunnel-life",
     .at = {at<&RevisionSettings::max_tunnel_life>, at<&QueueProxySettings::max_tunnel_life>},
     .bounds = between(0s, 8760h),
     .help = "A tunnel (WebSocket) is closed this long after it was opened, whether or not "
             "it is used. 0s: no limit. revision-idle-timeout ends an unused one.",
     .programs = kServices | Program::kQueueProxy},
};

constexpr Setting kWaiting[] = {
    {.name = "queue-depth",
     .at = {at<&RevisionSettings::queue_depth>},
     .bounds = between(1, 1'000'000),
     .help = "Maximum number of requests queued in the activator; further requests get 503.",
     .reach = {.of_activators = OfActivators::kAlways}},
    {.name = "queue-depth",
     .at = {at<&QueueProxySettings::queue_depth>},
     .bounds = between(0, 1'000'000),
     .help = "Maximum number of requests queued for the app; further requests get 503.",
     .unset = "10 times container-concurrency",
     .programs = Program::kQueueProxy},
    {.name = "queue-bytes",
     .at = {at<&RevisionSettings::queue_bytes>, at<&QueueProxySettings::queue_bytes>},
     .bounds = between(kibibytes(64), mebibytes(65536)),
     .help = "Maximum memory of queued requests, at least 4Ki each and up to 64Ki more for a "
             "body over HTTP/2; further requests get 503.",
     .reach = {.capped = "the memory limit of its container was made for that"},
     .programs = kServices | Program::kQueueProxy},
    {.name = "queue-age",
     .at = {at<&RevisionSettings::queue_age>, at<&QueueProxySettings::queue_age>},
     .tier = Tier::kMain,
     .bounds = between(1ms, 24h),
     .help = "Maximum time of a request in the queue; after it the request gets 503.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "queue-time-header",
     .at = {at<&RevisionSettings::queue_time_header>, at<&QueueProxySettings::queue_time_header>},
     .choices = {{"asked", QueueTimeHeader::kAsked},
                 {"waited", QueueTimeHeader::kWaited},
                 {"always", QueueTimeHeader::kAlways}},
     .help = "Responses that carry X-Bellows-Queue-Ms, the time in the queue. asked: if the "
             "request has this header; waited: also if the request was queued; always: all.",
     .programs = kServices | Program::kQueueProxy},
};

constexpr Setting kApp[] = {
    {.name = "port",
     .at = {at<&RevisionSettings::port>},
     .tier = Tier::kMain,
     .variable = "BELLOWS_APP_PORT",
     .bounds = between(0, 65535),
     .help = "Port at which an app listens that cannot take $PORT. max-scale is 1 then, and a "
             "deploy ends the old app before it starts the new one (docs/bellows-yaml.md). 0: "
             "each replica gets a port.",
     .reach = {.refused_on_kubernetes = "pods share no port"}},
    {.name = "app-protocol",
     .at = {at<&RevisionSettings::app_protocol>, at<&QueueProxySettings::app_protocol>},
     .choices = {{"auto", AppProtocol::kAuto},
                 {"http1", AppProtocol::kHttp1},
                 {"h2c", AppProtocol::kH2c}},
     .help = "Version of HTTP that the app uses. h2c: HTTP/2 in the clear with "
             "prior knowledge, as gRPC servers do; http1: HTTP/1.1; auto: as its "
             "readiness probe shows, else h2c if the app answers the preface of "
             "HTTP/2 when it becomes ready. Callers may always use either.",
     .reach = {.pinned = "the version of HTTP is settled when the app starts"},
     .programs = kServices | Program::kQueueProxy},
};

constexpr Setting kProbes[] = {
    {.name = "probe-user-agents",
     .at = {at<&RevisionSettings::probe_user_agents>, at<&QueueProxySettings::probe_user_agents>},
     .format = agent_list_format,
     .help = "Requests whose User-Agent begins with one of these are probes: Bellows "
             "answers them with 200 or 503, and they neither count as load nor start a "
             "replica. kube-probe/ always is one.",
     .unset = "no others",
     .programs = kServices | Program::kQueueProxy},
    {.name = "probe-paths",
     .at = {at<&RevisionSettings::probe_paths>, at<&QueueProxySettings::probe_paths>},
     .format = path_list_format,
     .help = "Requests for these paths are probes, as with probe-user-agents.",
     .unset = "none",
     .programs = kServices | Program::kQueueProxy},
};

constexpr Reach kNoShares = {.off_kubernetes =
                                 "each Revision has a Service of its own, so none share clients"};

constexpr Setting kClients[] = {
    {.name = "split-by",
     .at = {at<&CallerSettings::split_by>},
     .choices = {{"request", SplitBy::kRequest}, {"client", SplitBy::kClient}},
     .help = "Whether the revisions of a service share requests, or clients, each "
             "of which stays with one revision (docs/routes.md).",
     .reach = kNoShares},
    {.name = "client-header",
     .at = {at<&CallerSettings::client_header>},
     .format = header_name_format,
     .help = "With split-by client: the header field that identifies a client, such as "
             "X-User. Requests without it are shared one by one.",
     .unset = "a cookie that Bellows sets",
     .reach = kNoShares},
    {.name = "session-affinity",
     .at = {at<&CallerSettings::session_affinity>},
     .choices = {{"none", SessionAffinity::kNone}, {"cookie", SessionAffinity::kCookie}},
     .help = "cookie: a client goes to the replica that served it before, as long as that is "
             "ready and has a free slot. Its revision stays the same too.",
     .reach = {.of_activators = OfActivators::kAlways}},
};

constexpr Setting kMeanwhile[] = {
    {.name = "waiting-page",
     .at = {at<&CallerSettings::waiting_page>},
     .tier = Tier::kMain,
     .format = page_format,
     .help = "Page for a browser (GET that accepts text/html) while no replica is ready: built-in, "
             "or the path of a file that ends with .html. It has status 503 and reloads itself.",
     .unset = "the request waits",
     .reach = {.of_activators = OfActivators::kWithoutReplica}},
    {.name = "fallback-service",
     .at = {at<&CallerSettings::fallback_service>},
     .format = service_format,
     .help = "Service that gets the requests meanwhile, and if the replicas of this one "
             "fail to start.",
     .unset = "the request waits",
     .reach = {.of_activators = OfActivators::kWithoutReplica}},
    {.name = "fallback-after",
     .at = {at<&CallerSettings::fallback_after>},
     .bounds = between(0s, 1h),
     .help = "Time that a request waits for a replica before it gets the waiting page or "
             "the fallback service.",
     .reach = {.of_activators = OfActivators::kWithoutReplica}},
    {.name = "static-answers",
     .at = {at<&CallerSettings::static_answers>},
     .format = static_answers_format,
     .help = "Paths that Bellows answers itself, without starting a replica: a list of "
             "path, status, body and headers. A list in bellows.yaml, JSON elsewhere.",
     .unset = "none",
     .reach = {.of_activators = OfActivators::kAlways}},
};

constexpr Setting kLife[] = {
    {.name = "progress-deadline",
     .at = {at<&RevisionSettings::progress_deadline>},
     .tier = Tier::kMain,
     .bounds = between(1s, 24h),
     .help = "A replica that is not ready after this time is reported as failing. For a start that "
             "takes longer raise queue-age too, by which its first requests wait."},
    {.name = "drain-timeout",
     .at = {at<&RevisionSettings::drain_timeout>, at<&QueueProxySettings::drain_timeout>},
     .tier = Tier::kMain,
     .bounds = between(0s, 24h),
     .help = "Time in which requests may finish when a replica ends; then they are aborted. 0s: at "
             "once.",
     .unset = "revision-timeout, or 5m if that is 0s",
     .reach = {.pinned = "it has to fit into terminationGracePeriodSeconds of the pod"},
     .programs = kServices | Program::kQueueProxy},
    {.name = "drain-timeout",
     .at = {at<&ActivatorSettings::drain_timeout>},
     .tier = Tier::kMain,
     .bounds = between(0s, 24h),
     .help = "Time in which requests may finish when the activator ends; then they are aborted. "
             "0s: at once.",
     .unset = "the longest of its services, 10m without services",
     .programs = Program::kActivator},
    {.name = "drain-quiet-time",
     .at = {at<&QueueProxySettings::drain_quiet_time>},
     .bounds = between(0s, 10min),
     .help = "A drain ends when no request is left, and for this time neither a request nor a "
             "connection has arrived; always within drain-timeout. Probes do not count. Set it "
             "if callers learn late that this replica ends: nodes of a cluster take seconds.",
     .programs = Program::kQueueProxy},
    {.name = "drain-quiet-time",
     .at = {at<&ActivatorSettings::drain_quiet_time>},
     .bounds = between(std::chrono::seconds(0), std::chrono::minutes(10)),
     .help = "After SIGTERM it ends when no request is left, and for this time none has arrived "
             "and no revision's callers were sent here; always within drain-timeout. Set it if "
             "callers learn late that this activator ends: nodes of a cluster take seconds.",
     .programs = Program::kActivator},
    {.name = "readiness-path",
     .at = {at<&RevisionSettings::readiness_path>},
     .tier = Tier::kMain,
     .format = readiness_path_format,
     .help = "HTTP path that responds with 200 to 399 once the app is ready. grpc, or "
             "grpc:SERVICE: its health service (grpc.health.v1) reports SERVING.",
     .unset = "a TCP connect to the app's port",
     .reach = {.off_kubernetes = "the readinessProbe of the app's container decides"}},
    {.name = "readiness-probe",
     .at = {at<&QueueProxySettings::readiness>},
     .variable = "SERVING_READINESS_PROBE",
     .format = readiness_probe_format,
     .help = "Readiness check: a path that responds with 200 to 399, or the JSON of a "
             "Kubernetes probe (or a list, of which all must succeed) with host, port, "
             "httpHeaders, timeoutSeconds, periodSeconds and failureThreshold. Its "
             "initialDelaySeconds and successThreshold have no effect. HTTPS and exec "
             "become a TCP connect, with a warning in the log.",
     .unset = "a TCP connect",
     .programs = Program::kQueueProxy},
};

constexpr std::string_view kOfTheKubelet =
    "the kubelet restarts an app that hangs: set the livenessProbe of its container";

constexpr Setting kLiveness[] = {
    {.name = "liveness-path",
     .at = {at<&RevisionSettings::liveness_path>},
     .tier = Tier::kMain,
     .format = liveness_format,
     .help = "Probe that finds an app that hangs: an HTTP path that responds with 200 to "
             "399, tcp for a connect to the app's port, or another port for a connect to "
             "it. An app that hangs is killed and restarted. On one machine only: on "
             "Kubernetes set the livenessProbe of the container.",
     .unset = "nothing",
     .reach = {.refused_on_kubernetes = kOfTheKubelet}},
    {.name = "liveness-probe",
     .at = {at<&QueueProxySettings::liveness>},
     .format = readiness_probe_format,
     .help = "Liveness check that finds an app that hangs, in the forms of readiness-probe. The "
             "parent process gets its failure and restarts the app, so it needs a notify-fd. In "
             "a pod set the livenessProbe of the app's container instead.",
     .unset = "the app is not probed",
     .programs = Program::kQueueProxy},
    {.name = "liveness-period",
     .at = {at<&RevisionSettings::liveness_period>},
     .bounds = in_whole_seconds(between(1s, 1h)),
     .help = "Time between two liveness probes; the first one "
             "is sent that long after the app is ready."},
    {.name = "liveness-timeout",
     .at = {at<&RevisionSettings::liveness_timeout>},
     .bounds = in_whole_seconds(between(1s, 1h)),
     .help = "Time that the app has to answer a liveness "
             "probe."},
    {.name = "liveness-threshold",
     .at = {at<&RevisionSettings::liveness_threshold>},
     .bounds = between(1, 1000),
     .help = "Failed liveness probes in a row until the app hangs. A timeout counts only "
             "if the app has answered no request since the probe before: give an app "
             "that does one thing at a time more periods than its longest request "
             "takes."},
};

constexpr Setting kResources[] = {
    {.name = "resources-mode",
     .at = {at<&ResourcesSettings::mode>},
     .tier = Tier::kMain,
     .choices = {{"off", ResourcesMode::kOff},
                 {"advise", ResourcesMode::kAdvise},
                 {"initial", ResourcesMode::kInitial},
                 {"auto", ResourcesMode::kAuto}},
     .help = "off: no measurement; advise: recommend and show sizes; initial: start replicas "
             "with the recommended size; auto: resize running replicas too (docs/sizing.md)."},
    {.name = "cpu",
     .at = {at<&ResourcesSettings::cpu>},
     .tier = Tier::kMain,
     .bounds = kCpus,
     .help = "CPU request of a replica until there is a recommendation.",
     .unset = "CPU is advice only"},
    {.name = "memory",
     .at = {at<&ResourcesSettings::memory>},
     .tier = Tier::kMain,
     .bounds = kMemory,
     .help = "Memory request of a replica until there is a recommendation.",
     .unset = "memory is advice only"},
    {.name = "cpu-limit",
     .at = {at<&ResourcesSettings::cpu_limit>},
     .bounds = between(Millicores{10}, Millicores{1'000'000}),
     .help = "Maximum CPU of a replica, from its start on and in every "
             "resources-mode. `bellows run` and `up` only; needs control groups.",
     .unset = "no limit"},
    {.name = "memory-limit",
     .at = {at<&ResourcesSettings::memory_limit>},
     .tier = Tier::kMain,
     .bounds = between(mebibytes(4), mebibytes(16 * 1024 * 1024)),
     .help = "Maximum memory of a replica, also in every resources-mode: beyond it "
             "the kernel kills the app, which is restarted.",
     .unset = "no limit"},
    {.name = "resources-policy",
     .at = {at<&ResourcesSettings::policy>},
     .choices = {{"default", ResourcesPolicy::kDefault},
                 {"vpa", ResourcesPolicy::kVpa},
                 {"spike", ResourcesPolicy::kSpike},
                 {"hybrid", ResourcesPolicy::kHybrid}},
     .help = "The policy of the recommender for this service; default: recommender-policy. A new "
             "one starts with the sizes and the history of the previous one."},
    {.name = "controlled-resources",
     .at = {at<&ResourcesSettings::controlled_resources>},
     .choices = {{"cpu,memory", ControlledResources::kCpuAndMemory},
                 {"cpu", ControlledResources::kCpu},
                 {"memory", ControlledResources::kMemory}},
     .help = "Resources for which sizes are recommended. The other one has its first request."},
    {.name = "controlled-values",
     .at = {at<&ResourcesSettings::controlled_values>},
     .choices = {{"requests-and-limits", ControlledValues::kRequestsAndLimits},
                 {"requests-only", ControlledValues::kRequestsOnly}},
     .help = "requests-only: recommendations set no hard limit of the memory."},
    {.name = "min-allowed-cpu",
     .at = {at<&ResourcesSettings::min_allowed_cpu>},
     .bounds = kCpus,
     .help = "Minimum of the recommended CPU.",
     .unset = "none but that of the program"},
    {.name = "min-allowed-memory",
     .at = {at<&ResourcesSettings::min_allowed_memory>},
     .bounds = kMemory,
     .help = "Minimum of the recommended memory.",
     .unset = "none but that of the program"},
    {.name = "max-allowed-cpu",
     .at = {at<&ResourcesSettings::max_allowed_cpu>},
     .bounds = kCpus,
     .help = "Maximum of the recommended CPU.",
     .unset = "none"},
    {.name = "max-allowed-memory",
     .at = {at<&ResourcesSettings::max_allowed_memory>},
     .bounds = kMemory,
     .help = "Maximum of the recommended memory, also of its hard limit.",
     .unset = "none"},
};

constexpr Setting kLearned[] = {
    {.name = "slow-brain",
     .at = {at<&SlowBrainSettings::mode>},
     .choices = {{"off", SlowBrain::kOff},
                 {"advise", SlowBrain::kAdvise},
                 {"auto", SlowBrain::kAuto}},
     .help = "off: nothing is learned; advise: the target that the replicas can "
             "carry is learned and shown; auto: it is also used instead of target "
             "and target-utilization-percentage (docs/slow-brain.md)."},
    {.name = "latency-goal",
     .at = {at<&SlowBrainSettings::latency_goal>},
     .tier = Tier::kMain,
     .format = latency_goal_format,
     .help = "Latency limit at a replica: p95 < 200ms. The learned target is the highest "
             "one that keeps it.",
     .unset = "none: latency may rise to one and a half times that of an idle replica"},
    {.name = "latency-window",
     .at = {at<&SlowBrainSettings::latency_window>},
     .bounds = between(2s, 10min),
     .help = "The time over which latency-goal is judged. A shorter one follows the app "
             "faster and changes the target more often; below 30s it also learns from a "
             "replica's first minute, only for demonstrations."},
    {.name = "target-min",
     .at = {at<&SlowBrainSettings::target_min>},
     .bounds = between(0.01, 1'000'000),
     .help = "The lowest target that may be learned."},
    {.name = "target-max",
     .at = {at<&SlowBrainSettings::target_max>},
     .bounds = between(0.01, 1'000'000),
     .help = "The highest target that may be learned."},
};

}  // namespace

std::span<const Group> service_groups() {
  static constexpr Group kGroups[] = {
      {"Time limits of one request", kServices, kLimits},
      {"Waiting for a replica", kServices, kWaiting},
      {"App", kServices, kApp},
      {"Probes", kServices, kProbes},
      {"Clients", kServices, kClients},
      {"While no replica is ready", kServices, kMeanwhile},
      {"Life of a replica", kServices, kLife},
      {"Liveness", kServices, kLiveness, kOfTheKubelet},
      {"CPU and memory of a replica", kServices, kResources,
       "the manifest of the pods sets their CPU and memory"},
      {"Learned target", kServices, kLearned},
  };
  return kGroups;
}

}  // namespace bellows::config
