#include "config/revision_schema.hpp"

#include <string>
#include <utility>
#include <vector>

#include "config/profiles.hpp"
#include "config/readiness_probe.hpp"
#include "config/request_declarations.hpp"
#include "config/text_formats.hpp"
#include "json/object.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Settings = RevisionSettings;
using Revisions = Schema<RevisionSettings>;

void declare_profile(Revisions& schema) {
  schema.group("Profile");
  schema.add_choice(
      &Settings::profile,
      {{"bellows", Profile::kBellows}, {"knative", Profile::kKnative}, {"seed", Profile::kSeed}},
      {.name = "profile",
       .help = "Sets the default of every setting that is not set explicitly. bellows: the "
               "defaults shown here; knative: decides exactly as Knative does; seed: as its first "
               "autoscaler did (docs/settings.md)."});
  std::vector<std::string> aliases = annotation_aliases("class");
  schema.add_choice(
      &Settings::autoscaler_class, {{"kpa.autoscaling.knative.dev", AutoscalerClass::kKpa}},
      {.name = "pod-autoscaler-class",
       .aliases = std::move(aliases),
       .help = "Accepted for compatibility with Knative; there is only this class. For what the "
               "HPA class does, set cpu-utilization or memory-utilization."});
  schema.set_profiles({.setting = "profile", .layer = profile_layer});
}

void declare_metric(Revisions& schema) {
  schema.group("Load of one replica");
  schema.add_choice(&Settings::metric,
                    {{"concurrency", Metric::kConcurrency}, {"rps", Metric::kRps}},
                    {.name = "metric",
                     .aliases = annotation_aliases("metric"),
                     .help = "The load that decides the number of replicas: requests in flight, or "
                             "requests per second."});
  schema.add_choice(&Settings::aggregation,
                    {{"linear", Aggregation::kLinear},
                     {"weighted-exponential", Aggregation::kWeightedExponential},
                     {"weightedExponential", Aggregation::kWeightedExponential},
                     {"peak", Aggregation::kPeak}},
                    {.name = "metric-aggregation-algorithm",
                     .aliases = annotation_aliases("metric-aggregation-algorithm"),
                     .help = "Aggregation of the seconds of a window: linear is their mean; "
                             "weighted-exponential gives newer seconds a higher weight; peak is "
                             "the mean of each second's peak, for bursty load."});
}

void declare_target(Revisions& schema) {
  schema.add(&Settings::container_concurrency,
             {.name = "container-concurrency",
              .aliases = {"containerConcurrency"},
              .bounds = between(0, 1000),
              .help = "Hard limit of requests in flight per replica; further requests are queued. "
                      "0: no limit."});
  schema.add(&Settings::target,
             {.name = "target",
              .aliases = annotation_aliases("target"),
              .bounds = at_least(0.01),
              .help = "Target load per replica: requests in flight, or requests per second with "
                      "metric rps. Requests in flight are capped by container-concurrency.",
              .unset = "container-concurrency, or container-concurrency-target-default if that is "
                       "0; for rps requests-per-second-target-default"});
  schema.add(&Settings::target_utilization_percentage,
             {.name = "target-utilization-percentage",
              .aliases = annotation_aliases("target-utilization-percentage"),
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "Share of the target that is planned for. The rest is headroom for load that "
                      "arrives before a new replica is ready.",
              .unset = "container-concurrency-target-percentage; for rps 70"});
  schema.add(&Settings::container_concurrency_target_percentage,
             {.name = "container-concurrency-target-percentage",
              .kind = Kind::kPercent,
              .takes_fraction = true,
              .bounds = up_to(100, above(0)),
              .help = "Default of target-utilization-percentage. A value up to 1 is a fraction: "
                      "0.7 means 70 %."});
  schema.add(&Settings::target_default,
             {.name = "container-concurrency-target-default",
              .bounds = at_least(0.01),
              .help = "Target load if neither target nor container-concurrency is set."});
  schema.add(&Settings::rps_target_default,
             {.name = "requests-per-second-target-default",
              .bounds = at_least(0.01),
              .help = "Target load with metric rps if target is not set."});
}

void declare_balancing(Revisions& schema) {
  schema.add_choice(
      &Settings::load_balancing, load_balancing_names(),
      {.name = "load-balancing-policy",
       .aliases = {"serving.knative.dev/load-balancing-policy"},
       .help = "The activator's choice among replicas with a free slot. least-loaded: the fewest "
               "requests in flight, as reported by the replicas. knative: random-choice-2 without "
               "container-concurrency, first-available up to 3, round-robin from 4 on."});
}

void declare_usage(Revisions& schema) {
  schema.add(&Settings::cpu_utilization,
             {.name = "cpu-utilization",
              .kind = Kind::kPercent,
              .bounds = between(1, 1000),
              .help = "Target CPU usage in percent of the CPU request. It is a second metric: the "
                      "metric with the highest demand decides.",
              .unset = "CPU usage is ignored"});
  schema.add(&Settings::memory_utilization,
             {.name = "memory-utilization",
              .kind = Kind::kPercent,
              .bounds = between(1, 1000),
              .help = "Target memory usage in percent of the memory request. It is a second "
                      "metric, as cpu-utilization is.",
              .unset = "memory usage is ignored"});
}

void declare_windows(Revisions& schema) {
  schema.group("Windows and modes");
  std::vector<std::string> window = annotation_aliases("window");
  window.emplace_back("stable-window");
  schema.add(&Settings::window,
             {.name = "window",
              .aliases = std::move(window),
              .bounds = in_whole_seconds(between(2s, 1h)),
              .help = "The stable window: the time over which the load is averaged. A shorter one "
                      "follows the load faster and changes the number of replicas more often; "
                      "below 6s, Knative's minimum, only for demonstrations."});
  schema.add(&Settings::panic_window_percentage,
             {.name = "panic-window-percentage",
              .aliases = annotation_aliases("panic-window-percentage"),
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "Length of the panic window in percent of window, rounded to whole seconds, "
                      "at least 1s."});
  schema.add(&Settings::panic_threshold_percentage,
             {.name = "panic-threshold-percentage",
              .aliases = annotation_aliases("panic-threshold-percentage"),
              .kind = Kind::kPercent,
              .bounds = at_least(110),
              .help = "Panic mode starts when the load of the panic window exceeds this percentage "
                      "of the target load of the ready replicas."});
}

void declare_rates(Revisions& schema) {
  schema.add(&Settings::max_scale_up_rate,
             {.name = "max-scale-up-rate",
              .bounds = above(1),
              .help = "One decision multiplies the current number of replicas by at most this."});
  schema.add(
      &Settings::max_scale_down_rate,
      {.name = "max-scale-down-rate",
       .bounds = above(1),
       .help =
           "One decision divides the current number of replicas by at most this, rounded down."});
  schema.add(&Settings::scale_down_delay,
             {.name = "scale-down-delay",
              .aliases = annotation_aliases("scale-down-delay"),
              .bounds = in_whole_seconds(between(0s, 1h)),
              .help = "Scale down only after the lower number was sufficient for this long. Raise "
                      "it if replicas start slowly."});
  schema.add(&Settings::target_burst_capacity,
             {.name = "target-burst-capacity",
              .aliases = annotation_aliases("target-burst-capacity"),
              .bounds = or_also(-1, at_least(0)),
              .help = "Spare capacity, in requests, below which the activator stays in the path to "
                      "queue bursts. 0: it is in the path only at zero replicas; -1: always."});
}

void declare_bounds(Revisions& schema) {
  schema.group("Number of replicas");
  schema.add(&Settings::min_scale, {.name = "min-scale",
                                    .aliases = annotation_aliases("min-scale"),
                                    .bounds = at_least(0),
                                    .help = "Minimum number of replicas."});
  schema.add(&Settings::max_scale, {.name = "max-scale",
                                    .aliases = annotation_aliases("max-scale"),
                                    .bounds = at_least(0),
                                    .help = "Maximum number of replicas. 0: no limit."});
  schema.add(
      &Settings::max_scale_limit,
      {.name = "max-scale-limit",
       .bounds = at_least(0),
       .help = "Upper limit of max-scale. While it is set, max-scale 0 is rejected. 0: no limit."});
  schema.add(&Settings::initial_scale,
             {.name = "initial-scale",
              .aliases = annotation_aliases("initial-scale"),
              .bounds = at_least(0),
              .help = "Number of replicas after the first deployment, until that many were ready "
                      "once. 0 needs allow-zero-initial-scale."});
  schema.add(&Settings::allow_zero_initial_scale,
             {.name = "allow-zero-initial-scale", .help = "Allow initial-scale 0."});
  schema.add(&Settings::activation_scale,
             {.name = "activation-scale",
              .aliases = annotation_aliases("activation-scale"),
              .bounds = at_least(2),
              .help = "Minimum number of replicas while there is any load.",
              .unset = "1"});
}

/// The valid names are known where the policies are made (autoscaler/core/policy).
std::optional<std::string> read_names(std::string_view text) {
  const bool is_valid =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-, ") ==
      std::string_view::npos;
  if (!is_valid) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> read_json_object(std::string_view text) {
  if (!text.empty() && !json::parse(text)) return std::nullopt;
  return std::string(text);
}

void declare_policies(Revisions& schema) {
  schema.add(&Settings::policy,
             {.name = "policy",
              .aliases = annotation_aliases("policy"),
              .variable = "BELLOWS_SCALING_POLICY",  // BELLOWS_POLICY is the recommender's
              .format = {.want = "names separated by commas, or nothing", .read = read_names},
              .help = "Policies that decide the number of replicas: concurrency, triggers, "
                      "schedule, chain, webhook, counter, buffer, roomOccupancy; several, "
                      "separated by commas, decide by their maximum (docs/policies.md).",
              .unset = "concurrency; with autoscaling.up and the like triggers"});
  schema.add(
      &Settings::autoscaling,
      {.name = "autoscaling",
       .aliases = annotation_aliases("autoscaling"),
       .format = {.want = "a JSON object, or nothing", .read = read_json_object},
       .help = "Parameters of the policies: Maestro's keys for triggers, and an object under "
               "the name of each other policy. A map in bellows.yaml, JSON elsewhere.",
       .unset = "none"});
  schema.add_choice(
      &Settings::occupied_by,
      {{"default", OccupiedBy::kDefault},
       {"serving", OccupiedBy::kServing},
       {"said", OccupiedBy::kSaid},
       {"nothing", OccupiedBy::kNothing}},
      {.name = "occupied-by",
       .aliases = annotation_aliases("occupied-by"),
       .help = "Replicas that no scale-down removes. said: those that hold a tunnel or report that "
               "they are occupied (docs/policies.md); serving: also those with a request in "
               "flight; default: said while concurrency alone decides, serving otherwise."});
}

void declare_scale_to_zero(Revisions& schema) {
  schema.add(
      &Settings::enable_scale_to_zero,
      {.name = "enable-scale-to-zero", .help = "Remove the last replica when there is no load."});
  schema.add(&Settings::scale_to_zero_grace_period,
             {.name = "scale-to-zero-grace-period",
              .bounds = between(1ms, 1h),
              .help = "Time between the decision for zero and the end of the last replica, so that "
                      "the activator is in the path by then. With keep-alive learned the activator "
                      "confirms it instead, and this time has no effect."});
  schema.add(&Settings::scale_to_zero_pod_retention_period,
             {.name = "scale-to-zero-pod-retention-period",
              .aliases = annotation_aliases("scale-to-zero-pod-retention-period"),
              .bounds = between(0s, 1h),
              .help = "Minimum time that the last replica stays after the decision for zero; with "
                      "keep-alive learned, after the stable window holds no load."});
  schema.add(
      &Settings::activator_capacity,
      {.name = "activator-capacity",
       .bounds = at_least(1),
       .help =
           "Concurrent requests per activator; determines how many activators share a revision."});
}

std::vector<std::string> timeout_aliases(std::string name, std::string camel) {
  return {std::move(name) + "-seconds", std::move(camel) + "Seconds"};
}

void declare_timeouts(Revisions& schema) {
  schema.group("Time limits of one request");
  schema.add(&Settings::request_timeout,
             {.name = "revision-timeout",
              .aliases = timeout_aliases("revision-timeout", "timeout"),
              .bounds = between(0s, 24h),
              .help = "Time limit of a whole request. 0s: no limit. Of a tunnel (WebSocket) only "
                      "its start counts: max-tunnel-life bounds the rest."});
  schema.add(&Settings::response_start_timeout,
             {.name = "revision-response-start-timeout",
              .aliases = timeout_aliases("revision-response-start-timeout", "responseStartTimeout"),
              .bounds = between(0s, 24h),
              .help = "Time limit until the response begins. 0s: same as revision-timeout."});
  schema.add(&Settings::idle_timeout,
             {.name = "revision-idle-timeout",
              .aliases = timeout_aliases("revision-idle-timeout", "idleTimeout"),
              .bounds = between(0s, 24h),
              .help = "Time limit without data in either direction. 0s: no limit. A tunnel whose "
                      "app has ended waits at most 10s for its caller."});
  declare_tunnel_life(schema);
}

void declare_waiting(Revisions& schema) {
  schema.group("Waiting for a replica");
  schema.add(
      &Settings::queue_depth,
      {.name = "queue-depth",
       .bounds = between(1, 1'000'000),
       .help = "Maximum number of requests queued in the activator; further requests get 503."});
  declare_queue(schema);
  schema.add_choice(
      &Settings::queue_time_header, queue_time_header_names(),
      {.name = "queue-time-header",
       .help = "Responses that carry X-Bellows-Queue-Ms, the time in the queue. asked: if the "
               "request has this header; waited: also if the request was queued; always: all."});
}

void declare_app(Revisions& schema) {
  schema.group("App");
  declare_app_protocol(schema);
}

void declare_probes(Revisions& schema) {
  schema.group("Probes");
  schema.add(&Settings::probe_user_agents,
             {.name = "probe-user-agents",
              .format = agent_list_format(),
              .help = "Requests whose User-Agent begins with one of these are probes: Bellows "
                      "answers them with 200 or 503, and they neither count as load nor start a "
                      "replica. kube-probe/ always is one.",
              .unset = "no others"});
  schema.add(&Settings::probe_paths,
             {.name = "probe-paths",
              .format = path_list_format(),
              .help = "Requests for these paths are probes, as with probe-user-agents.",
              .unset = "none"});
}

void declare_life(Revisions& schema) {
  schema.group("Life of a replica");
  schema.add(&Settings::progress_deadline,
             {.name = "progress-deadline",
              .aliases = {"serving.knative.dev/progress-deadline"},
              .bounds = between(1s, 24h),
              .help = "A replica that is not ready after this time is reported as failing."});
  schema.add(&Settings::drain_timeout, {.name = "drain-timeout",
                                        .bounds = between(0s, 24h),
                                        .help = "Time in which a terminating replica may finish "
                                                "its requests. 0s: they are aborted at once.",
                                        .unset = "revision-timeout, or 5m if that is 0s"});
  schema.add(&Settings::readiness_path,
             {.name = "readiness-path",
              .format = readiness_path_format(),
              .help = "HTTP path that responds with 200 to 399 once the app is ready. grpc, or "
                      "grpc:SERVICE: its health service (grpc.health.v1) reports SERVING.",
              .unset = "a TCP connect to the app's port"});
}

void declare_liveness(Revisions& schema) {
  schema.group("Liveness");
  schema.add(&Settings::liveness_path,
             {.name = "liveness-path",
              .format = liveness_format(),
              .help = "Probe that finds an app that hangs: an HTTP path that responds with 200 to "
                      "399, tcp for a connect to the app's port, or another port for a connect to "
                      "it. An app that hangs is killed and restarted. On one machine only: on "
                      "Kubernetes set the livenessProbe of the container.",
              .unset = "nothing"});
  schema.add(&Settings::liveness_period, {.name = "liveness-period",
                                          .bounds = in_whole_seconds(between(1s, 1h)),
                                          .help = "Time between two liveness probes; the first one "
                                                  "is sent that long after the app is ready."});
  schema.add(&Settings::liveness_timeout, {.name = "liveness-timeout",
                                           .bounds = in_whole_seconds(between(1s, 1h)),
                                           .help = "Time that the app has to answer a liveness "
                                                   "probe."});
  schema.add(&Settings::liveness_threshold,
             {.name = "liveness-threshold",
              .bounds = between(1, 1000),
              .help = "Failed liveness probes in a row until the app hangs. A timeout counts only "
                      "if the app has answered no request since the probe before: give an app "
                      "that does one thing at a time more periods than its longest request "
                      "takes."});
}

bool has_valid_initial_scale(const Settings& s) {
  return s.initial_scale > 0 || s.allow_zero_initial_scale;
}

bool is_below_max_scale(const Settings& s, PodCount pods) {
  return s.max_scale == 0 || pods <= s.max_scale;
}

bool keeps_max_scale_limit(const Settings& s) {
  return s.max_scale_limit == 0 || (s.max_scale > 0 && s.max_scale <= s.max_scale_limit);
}

bool starts_at_min_scale(const Settings& s) {
  return !s.activation_scale || *s.activation_scale >= s.min_scale;
}

bool has_a_target(const Settings& s) {
  return s.target_default * s.container_concurrency_target_fraction() >= 0.01;
}

bool has_knatives_min_window(const Settings& s) {
  return s.profile != Profile::kKnative || s.window >= 6s;
}

void add_bounds_rules(Revisions& schema) {
  const std::string below = " at most max-scale, or max-scale 0 (no limit)";
  schema.add_rule({{"min-scale", "max-scale"},
                   [](const Settings& s) { return is_below_max_scale(s, s.min_scale); },
                   "min-scale" + below});
  schema.add_rule({{"initial-scale", "max-scale"},
                   [](const Settings& s) { return is_below_max_scale(s, s.initial_scale); },
                   "initial-scale" + below});
  schema.add_rule({{"initial-scale", "allow-zero-initial-scale"},
                   has_valid_initial_scale,
                   "initial-scale at least 1, or allow-zero-initial-scale true"});
  schema.add_rule({{"max-scale", "max-scale-limit"},
                   keeps_max_scale_limit,
                   "max-scale from 1 to max-scale-limit"});
  schema.add_rule({{"activation-scale", "min-scale"},
                   starts_at_min_scale,
                   "activation-scale at least min-scale"});
  schema.add_rule(
      {{"activation-scale", "max-scale"},
       [](const Settings& s) { return is_below_max_scale(s, s.activation_scale.value_or(0)); },
       "activation-scale" + below});
}

void add_load_rules(Revisions& schema) {
  schema.add_rule(
      {{"container-concurrency-target-default", "container-concurrency-target-percentage"},
       has_a_target,
       "a product of at least 0.01 requests"});
  schema.add_rule({{"target-min", "container-concurrency"},
                   [](const Settings& s) {
                     return s.container_concurrency == 0 ||
                            s.slow_brain.target_min <= s.container_concurrency;
                   },
                   "target-min at most container-concurrency, or container-concurrency 0"});
  schema.add_rule({{"window", "profile"},
                   has_knatives_min_window,
                   "a window of at least 6s under profile knative"});
}

}  // namespace

const Schema<RevisionSettings>& revision_schema() {
  static const Revisions schema = [] {
    Revisions declared;
    declare_profile(declared);
    declare_metric(declared);
    declare_target(declared);
    declare_balancing(declared);
    declare_usage(declared);
    declare_windows(declared);
    declare_rates(declared);
    declare_bounds(declared);
    declare_scale_to_zero(declared);
    declare_policies(declared);
    declared.include(&Settings::rules, scaling_rules_schema());
    declare_timeouts(declared);
    declare_waiting(declared);
    declare_app(declared);
    declare_probes(declared);
    declared.include(&Settings::callers, caller_schema());
    declare_life(declared);
    declare_liveness(declared);
    declared.include(&Settings::resources, resources_schema());
    declared.include(&Settings::slow_brain, slow_brain_schema());
    add_bounds_rules(declared);
    add_load_rules(declared);
    add_time_limit_rules(declared);
    return declared;
  }();
  return schema;
}

RevisionSettings one_machine_settings() {
  RevisionSettings settings;
  settings.target = 10;
  settings.max_scale = 8;
  settings.initial_scale = 0;
  settings.allow_zero_initial_scale = true;
  return settings;
}

}  // namespace bellows::config
