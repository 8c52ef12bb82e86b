// Settings of the programs of a cluster: queue-proxy, activator, autoscaler, recommender.
#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/kubernetes_settings.hpp"
#include "config/path_settings.hpp"
#include "config/port_range.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/table.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

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

/// "none" is stored as an empty text.
std::optional<std::string> read_object(std::string_view text) {
  if (text.empty() || text == "none") return std::string();
  if (text.find('/') == std::string_view::npos) return std::nullopt;
  return revision_format().read(text);
}

TextFormat activator_service_format() {
  return {.want = "NAMESPACE/NAME of a Service, or none", .read = read_object};
}

TextFormat lease_format() {
  return {.want = "NAMESPACE/NAME of a Lease, or none", .read = read_object};
}

TextFormat ports_format() {
  return {.want = "FIRST-LAST with ports from 1 to 65535, such as 20000-29999",
          .read = [](std::string_view text) {
            return read_port_range(text) ? std::optional<std::string>(text) : std::nullopt;
          }};
}

constexpr Setting kIdentity[] = {
    {.name = "service",
     .at = {at<&QueueProxySettings::service>},
     .help = "Name of the service in the access log and in spans.",
     .unset = "that of the revision"},
    {.name = "revision",
     .at = {at<&QueueProxySettings::revision>},
     .help = "Name of the revision in stats and in the access log."},
    {.name = "pod",
     .at = {at<&QueueProxySettings::pod>},
     .help = "Name of the replica in stats, access log and errors; unique within the revision."},
};

constexpr Setting kPorts[] = {
    {.name = "listen-host",
     .at = {at<&QueueProxySettings::listen_host>},
     .format = host_format,
     .help = "Address to listen on, for requests and admin requests."},
    {.name = "queue-serving-port",
     .at = {at<&QueueProxySettings::serving_port>},
     .bounds = at_least(0),
     .help = "Port for requests. 0: chosen by the system."},
    {.name = "admin-port",
     .at = {at<&QueueProxySettings::admin_port>},
     .bounds = at_least(0),
     .help = "Port for /metrics, /healthz and /readyz. 0: chosen by the system."},
    {.name = "activator-port",
     .at = {at<&QueueProxySettings::activator_port>},
     .bounds = at_least(0),
     .help = "Port for activators: their internal headers are trusted there, they get "
             "X-Bellows-In-Flight, and the Forwarded header is left to them. Set it where "
             "other callers use queue-serving-port. 0: chosen by the system.",
     .unset = "none"},
    {.name = "drain-port",
     .at = {at<&QueueProxySettings::drain_port>},
     .bounds = at_least(0),
     .help = "Port for the preStop hooks of a pod. GET /drain begins the drain and "
             "responds when it has ended; it is undone after 10s without SIGTERM. GET "
             "/drain/pod is the same for a hook of this container, and lasts. 0: chosen "
             "by the system.",
     .unset = "none"},
    {.name = "user-host",
     .at = {at<&QueueProxySettings::user_host>},
     .format = host_format,
     .help = "Host of the app. All addresses of a name are tried."},
    {.name = "user-port",
     .at = {at<&QueueProxySettings::user_port>},
     .tier = Tier::kMain,
     .bounds = at_least(1),
     .is_required = true,
     .help = "Port of the app."},
    {.name = "autoscaler",
     .at = {at<&QueueProxySettings::autoscaler>},
     .tier = Tier::kMain,
     .help = "WebSocket that receives the stats of this replica every second.",
     .unset = "no stats are sent"},
    {.name = "stat-secret",
     .at = {at<&QueueProxySettings::stat_secret>},
     .format = secret_format,
     .help = "Secret that authenticates the stats of this replica; on one machine each replica "
             "has its own. Set it only in the environment, because every user can see arguments.",
     .unset = "no secret"},
    {.name = "behind-activator",
     .at = {at<&QueueProxySettings::behind_activator>},
     .help = "Every caller of queue-serving-port is an activator, as on one machine: "
             "trust its internal headers and leave the Forwarded header to it. Set it "
             "only if no other caller can reach the port; otherwise set activator-port."},
    {.name = "notify-fd",
     .at = {at<&QueueProxySettings::notify_fd>},
     .bounds = at_least(-1),
     .help = "Inherited file descriptor that receives listening and "
             "readiness events (docs/formats/wire.md). -1: none."},
};

constexpr Setting kKubernetes[] = {
    {.name = "namespace",
     .at = {at<&KubernetesSettings::ns>},
     .tier = Tier::kMain,
     .help = "Use only objects of this namespace.",
     .unset = "all namespaces"},
    {.name = "kubeconfig",
     .at = {at<&KubernetesSettings::kubeconfig>},
     .help = "FILE with the address of the API server and the credentials.",
     .unset = "$KUBECONFIG, ~/.kube/config, or in a pod its service account"},
    {.name = "context",
     .at = {at<&KubernetesSettings::context>},
     .help = "Context of the kubeconfig.",
     .unset = "the current context"},
};

constexpr Setting kVerticalAutoscalers[] = {
    {.name = "cluster",
     .at = {at<&RecommenderProgramSettings::cluster>},
     .tier = Tier::kMain,
     .choices = {{"none", RecommenderCluster::kNone},
                 {"kubernetes", RecommenderCluster::kKubernetes}},
     .help = "kubernetes: recommend for the VerticalPodAutoscalers of a cluster whose "
             "spec.recommenders names bellows, and write their status."},
    {.name = "objects-of-others",
     .at = {at<&RecommenderProgramSettings::others>},
     .choices = {{"leave", ObjectsOfOthers::kLeave},
                 {"compare", ObjectsOfOthers::kCompare},
                 {"adopt", ObjectsOfOthers::kAdopt}},
     .help =
         "VerticalPodAutoscalers that do not name bellows. compare: write our numbers into their "
         "annotation bellows.dev/recommendation, beside those of their own recommender; adopt: "
         "recommend for those that name nobody, where VPA's own recommender does not run."},
    {.name = "lease",
     .at = {at<&RecommenderProgramSettings::lease>},
     .format = lease_format,
     .help = "Lease of several recommenders, of which one writes and the others stand by. none: "
             "this recommender is the only one."},
};

constexpr Setting kPaths[] = {
    {.name = "activator-service",
     .at = {at<&PathSettings::activator_service>, at<&ActivatorSettings::activator_service>},
     .format = activator_service_format,
     .help = "Service whose endpoints are the activators. Activators join the path of a Revision's "
             "Service at zero and in bursts. none: Services stay unchanged, and callers must reach "
             "the activators in other ways. The autoscaler and the activators need the same value.",
     .programs = Program::kAutoscaler | Program::kActivator},
    {.name = "activator-ports",
     .at = {at<&PathSettings::activator_ports>},
     .format = ports_format,
     .help = "Ports of the activators, one for each Revision with a Service. More "
             "Revisions need a wider range."},
    {.name = "path-settle-time",
     .at = {at<&PathSettings::settle_time>},
     .bounds = between(0s, 1min),
     .help = "Maximum time in which every node of the cluster follows a change of an "
             "EndpointSlice. Raise it for clusters with slow nodes."},
    {.name = "last-resort-endpoints",
     .at = {at<&PathSettings::last_resort_endpoints>},
     .help = "While replicas take the requests, activators stay in the EndpointSlice as "
             "serving and terminating, so that nodes use them once no replica is ready. Set "
             "false if nodes do not use such an endpoint again (old versions of Cilium)."},
    {.name = "activators-on-each-node",
     .at = {at<&PathSettings::activators_on_each_node>},
     .help = "Every node runs an activator, as deploy/each-node makes them. Then Services whose "
             "traffic policy is Local go to zero too: all activators join their paths."},
};

constexpr Setting kStatsAuth[] = {
    {.name = "stats-auth",
     .at = {at<&AutoscalerSettings::stats_auth>},
     .choices = {{"off", StatsAuth::kOff}, {"on", StatsAuth::kOn}},
     .help = "on: stats count only with a token of the pod that they are about, or of an "
             "activator; queue-proxies and activators need stats-token-file.",
     .programs = Program::kAutoscaler},
    {.name = "stats-token-file",
     .at = {at<&QueueProxySettings::stats_token_file>, at<&ActivatorSettings::stats_token_file>},
     .help = "FILE with the token of this pod for the audience bellows-stats, which proves to the "
             "autoscaler who sends the stats. It is read at each connection.",
     .unset = "no token is sent",
     .programs = Program::kQueueProxy | Program::kActivator},
};

constexpr Setting kState[] = {
    {.name = "lease",
     .at = {at<&AutoscalerSettings::lease>},
     .format = lease_format,
     .help =
         "Lease of several autoscalers, of which one orders replicas and the others stand by. A "
         "standby gets the same stats, makes the same decisions, and takes over when the one "
         "that orders ends. none: this autoscaler is the only one."},
    {.name = "state-file",
     .at = {at<&AutoscalerSettings::state_file>},
     .tier = Tier::kMain,
     .help = "File that keeps panic and delay state across restarts.",
     .unset = "state is lost at a restart"},
};

}  // namespace

std::span<const Group> cluster_groups() {
  static constexpr Group kGroups[] = {
      {"Identity", Program::kQueueProxy, kIdentity},
      {"Ports of a replica", Program::kQueueProxy, kPorts},
      {"Kubernetes", Program::kActivator | Program::kAutoscaler | Program::kRecommenderServe,
       kKubernetes},
      {"VerticalPodAutoscalers", Program::kRecommenderServe, kVerticalAutoscalers},
      {"Activators in the path of Services", Program::kAutoscaler, kPaths},
      {"Senders of stats", Program::kQueueProxy | Program::kActivator | Program::kAutoscaler,
       kStatsAuth},
      {"State", Program::kAutoscaler, kState},
  };
  return kGroups;
}

}  // namespace bellows::config
