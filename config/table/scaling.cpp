// Settings of a service that decide how many replicas it has.
#include <algorithm>

#include "base/units.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/revision_settings.hpp"
#include "config/scaling_rules.hpp"
#include "config/table.hpp"
#include "json/object.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

/// More than the requests in flight of any service: sums and products of such numbers stay finite.
constexpr double kMostLoad = 1e9;

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

TextFormat policies_format() {
  return {.want = "names separated by commas, or nothing", .read = read_names};
}

TextFormat json_object_format() {
  return {.want = "a JSON object, or nothing", .read = read_json_object};
}

bool is_of_usage(const json::Object& trigger) {
  const auto type = trigger.text("type");
  return type && (*type == "cpu" || *type == "mem" || *type == "memory");
}

/// Returns true if a trigger in it, also below a chain, goes by what replicas use.
bool has_usage_triggers(const json::Object& object) {
  return std::ranges::any_of(object.keys(), [&](std::string_view key) {
    if (const auto inner = object.object(key)) return has_usage_triggers(*inner);
    const auto list = object.objects(key);
    return list &&
           std::ranges::any_of(*list, key == "metricsTrigger" ? is_of_usage : has_usage_triggers);
  });
}

bool goes_by_usage(std::string_view autoscaling) {
  const auto object = json::parse(autoscaling);
  return object && has_usage_triggers(*object);
}

/// One replica instead of none is the decision of Bellows.
bool is_above_one(std::string_view number) {
  return number != "0" && number != "1";
}
bool is_any(std::string_view /*text*/) {
  return true;
}
constexpr Reach kNumberAboveZero = {.is_of_hpa = is_any};

constexpr Setting kProfile[] = {
    {.name = "profile",
     .at = {at<&RevisionSettings::profile>},
     .choices = {{"bellows", Profile::kBellows},
                 {"knative", Profile::kKnative},
                 {"seed", Profile::kSeed}},
     .help = "Sets the default of every setting that is not set explicitly. bellows: the "
             "defaults shown here; knative: decides exactly as Knative does; seed: as its first "
             "autoscaler did (docs/settings.md)."},
};

constexpr Setting kLoad[] = {
    {.name = "metric",
     .at = {at<&RevisionSettings::metric>},
     .choices = {{"concurrency", Metric::kConcurrency}, {"rps", Metric::kRps}},
     .help = "The load that decides the number of replicas: requests in flight, or "
             "requests per second."},
    {.name = "metric-aggregation-algorithm",
     .at = {at<&RevisionSettings::aggregation>},
     .tier = Tier::kCompatibility,
     .choices = {{"linear", Aggregation::kLinear},
                 {"weighted-exponential", Aggregation::kWeightedExponential},
                 {"weightedExponential", Aggregation::kWeightedExponential},
                 {"peak", Aggregation::kPeak}},
     .help = "Aggregation of the seconds of a window: linear is their mean; "
             "weighted-exponential gives newer seconds a higher weight; peak is "
             "the mean of each second's peak, for bursty load."},
    {.name = "container-concurrency",
     .at = {at<&RevisionSettings::container_concurrency>,
            at<&QueueProxySettings::container_concurrency>},
     .tier = Tier::kMain,
     .bounds = between(0, 1000),
     .help = "Hard limit of requests in flight per replica; further requests are queued. "
             "0: no limit.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "target",
     .at = {at<&RevisionSettings::target>},
     .tier = Tier::kMain,
     .bounds = between(0.01, kMostLoad),
     .help = "Target load per replica: requests in flight, or requests per second with "
             "metric rps. Requests in flight are capped by container-concurrency.",
     .unset = "container-concurrency, or 100 if that is 0; for rps 200"},
    {.name = "target-utilization-percentage",
     .at = {at<&RevisionSettings::target_utilization_percentage>},
     .is_percent = true,
     .bounds = between(1, 100),
     .help = "Share of the target that is planned for. The rest is headroom for load that "
             "arrives before a new replica is ready.",
     .unset = "70, under profile seed 100; for rps 70"},
    {.name = "load-balancing-policy",
     .at = {at<&RevisionSettings::load_balancing>},
     .choices = {{"least-loaded", LoadBalancing::kLeastLoaded},
                 {"knative", LoadBalancing::kKnative},
                 {"random-choice-2", LoadBalancing::kRandomChoice2},
                 {"first-available", LoadBalancing::kFirstAvailable},
                 {"round-robin", LoadBalancing::kRoundRobin}},
     .help = "The activator's choice among replicas with a free slot. least-loaded: the fewest "
             "requests in flight, as reported by the replicas. knative: random-choice-2 without "
             "container-concurrency, first-available up to 3, round-robin from 4 on.",
     .reach = {.of_activators = OfActivators::kAlways}},
    {.name = "cpu-utilization",
     .at = {at<&RevisionSettings::cpu_utilization>},
     .is_percent = true,
     .bounds = between(1, 1000),
     .help = "Target CPU usage in percent of the CPU request. It is a second metric: the "
             "metric with the highest demand decides.",
     .unset = "CPU usage is ignored",
     .reach = {.needs_usage = true}},
    {.name = "memory-utilization",
     .at = {at<&RevisionSettings::memory_utilization>},
     .is_percent = true,
     .bounds = between(1, 1000),
     .help = "Target memory usage in percent of the memory request. It is a second "
             "metric, as cpu-utilization is.",
     .unset = "memory usage is ignored",
     .reach = {.needs_usage = true}},
};

constexpr Setting kWindows[] = {
    {.name = "window",
     .at = {at<&RevisionSettings::window>, at<&QueueProxySettings::window>},
     .bounds = in_whole_seconds(between(2s, 1h)),
     .help = "The stable window: the time over which the load is averaged, and whose stats the "
             "autoscaler gets again after a lost connection. A shorter one follows the load "
             "faster and changes the number of replicas more often; below 6s, Knative's minimum, "
             "only for demonstrations.",
     .programs = kServices | Program::kQueueProxy},
    {.name = "panic-window-percentage",
     .at = {at<&RevisionSettings::panic_window_percentage>},
     .tier = Tier::kCompatibility,
     .is_percent = true,
     .bounds = between(1, 100),
     .help = "Length of the panic window in percent of window, rounded to whole seconds, "
             "at least 1s."},
    {.name = "panic-threshold-percentage",
     .at = {at<&RevisionSettings::panic_threshold_percentage>},
     .tier = Tier::kCompatibility,
     .is_percent = true,
     .bounds = between(110, kMostLoad),
     .help = "Panic mode starts when the load of the panic window exceeds this percentage "
             "of the target load of the ready replicas."},
    {.name = "max-scale-up-rate",
     .at = {at<&RevisionSettings::max_scale_up_rate>},
     .tier = Tier::kCompatibility,
     .bounds = up_to(kMostLoad, above(1)),
     .help = "One decision multiplies the current number of replicas by at most this.",
     .reach = kNumberAboveZero},
    {.name = "max-scale-down-rate",
     .at = {at<&RevisionSettings::max_scale_down_rate>},
     .tier = Tier::kCompatibility,
     .bounds = up_to(kMostLoad, above(1)),
     .help = "One decision divides the current number of replicas by at most this, rounded down.",
     .reach = kNumberAboveZero},
    {.name = "scale-down-delay",
     .at = {at<&RevisionSettings::scale_down_delay>},
     .bounds = in_whole_seconds(between(0s, 1h)),
     .help = "Scale down only after the lower number was sufficient for this long. Raise "
             "it if replicas start slowly."},
    {.name = "target-burst-capacity",
     .at = {at<&RevisionSettings::target_burst_capacity>},
     .tier = Tier::kCompatibility,
     .bounds = or_also(-1, between(0, kMostLoad)),
     .help = "Spare capacity, in requests, below which the activator stays in the path to "
             "queue bursts. 0: it is in the path only at zero replicas; -1: always."},
};

constexpr Setting kNumbers[] = {
    {.name = "min-scale",
     .at = {at<&RevisionSettings::min_scale>},
     .tier = Tier::kMain,
     .bounds = between(0, kMaxReplicas),
     .help = "Minimum number of replicas.",
     .reach = {.is_of_hpa = is_above_one}},
    {.name = "max-scale",
     .at = {at<&RevisionSettings::max_scale>},
     .tier = Tier::kMain,
     .bounds = between(0, kMaxReplicas),
     .help = "Maximum number of replicas. 0: no limit.",
     .reach = kNumberAboveZero},
    {.name = "initial-scale",
     .at = {at<&RevisionSettings::initial_scale>},
     .bounds = between(0, kMaxReplicas),
     .help = "Number of replicas after the first deployment, until that many were ready once."},
    {.name = "activation-scale",
     .at = {at<&RevisionSettings::activation_scale>},
     .tier = Tier::kCompatibility,
     .bounds = between(2, kMaxReplicas),
     .help = "Minimum number of replicas while there is any load.",
     .unset = "1",
     .reach = kNumberAboveZero},
    {.name = "enable-scale-to-zero",
     .at = {at<&RevisionSettings::enable_scale_to_zero>},
     .tier = Tier::kCompatibility,
     .help = "Remove the last replica when there is no load."},
    {.name = "scale-to-zero-grace-period",
     .at = {at<&RevisionSettings::scale_to_zero_grace_period>},
     .bounds = between(1ms, 1h),
     .help = "Time between the decision for zero and the end of the last replica, so that "
             "the activator is in the path by then. With keep-alive learned the activator "
             "confirms it instead, and this time has no effect."},
    {.name = "scale-to-zero-pod-retention-period",
     .at = {at<&RevisionSettings::scale_to_zero_pod_retention_period>},
     .tier = Tier::kCompatibility,
     .bounds = between(0s, 168h),
     .help = "The last replica stays at least this long after the stable window holds no load: "
             "window plus this time after the last request. idle-time is its short name."},
    {.name = "policy",
     .at = {at<&RevisionSettings::policy>},
     .tier = Tier::kMain,
     .variable = "BELLOWS_SCALING_POLICY",
     .format = policies_format,
     .help = "Policies that decide the number of replicas: concurrency, triggers, "
             "schedule, chain, webhook, counter, buffer, roomOccupancy; several, "
             "separated by commas, decide by their maximum (docs/policies.md).",
     .unset = "concurrency; with autoscaling.up and the like triggers"},
    {.name = "autoscaling",
     .at = {at<&RevisionSettings::autoscaling>},
     .format = json_object_format,
     .help = "Parameters of the policies: Maestro's keys for triggers, and an object under "
             "the name of each other policy. A map in bellows.yaml, JSON elsewhere.",
     .unset = "none",
     .reach = {.is_off = goes_by_usage, .needs_usage = true}},
    {.name = "occupied-by",
     .at = {at<&RevisionSettings::occupied_by>},
     .choices = {{"default", OccupiedBy::kDefault},
                 {"serving", OccupiedBy::kServing},
                 {"said", OccupiedBy::kSaid},
                 {"nothing", OccupiedBy::kNothing}},
     .help = "Replicas that no scale-down removes. said: those that hold a tunnel or report that "
             "they are occupied (docs/policies.md); serving: also those with a request in "
             "flight; default: said while concurrency alone decides, serving otherwise."},
};

constexpr Setting kRuleHeadroom[] = {
    {.name = "headroom",
     .at = {at<&ScalingRules::headroom>},
     .choices = {{"square-root", Headroom::kSquareRoot}, {"utilization", Headroom::kUtilization}},
     .help = "Capacity planned beyond the load. square-root: so many standard deviations of "
             "the load that waiting-percentage of independent requests find every slot taken, but "
             "never more than target-utilization-percentage leaves. "
             "utilization: always what target-utilization-percentage leaves. If the service sets "
             "target-utilization-percentage, and with metric rps, utilization is used.",
     .reach = kNumberAboveZero},
    {.name = "waiting-percentage",
     .at = {at<&ScalingRules::waiting_percentage>},
     .is_percent = true,
     .bounds = between(0.001, 50),
     .help = "With headroom square-root: percentage of the requests that may find every "
             "slot taken while they are independent and their load is steady; of requests in "
             "batches more do. Lower it if too many are queued.",
     .reach = kNumberAboveZero},
    {.name = "early-scale-up",
     .at = {at<&ScalingRules::early_scale_up>},
     .choices = {{"evidence", EarlyScaleUp::kEvidence}, {"window", EarlyScaleUp::kWindow}},
     .help = "Outside panic mode: evidence also scales up on a statistically significant rise in "
             "the panic window or the newest second; window uses the stable window only.",
     .reach = kNumberAboveZero},
    {.name = "early-scale-up-z-score",
     .at = {at<&ScalingRules::early_scale_up_z_score>},
     .bounds = between(0, 20),
     .help = "With early-scale-up evidence: the number of standard deviations above which a rise "
             "is significant. Lower it to scale up earlier, raise it to ignore more noise.",
     .reach = kNumberAboveZero},
};

constexpr Setting kRuleEnds[] = {
    {.name = "first-replicas",
     .at = {at<&ScalingRules::first_replicas>},
     .choices = {{"for-waiting", FirstReplicas::kForWaiting}, {"one", FirstReplicas::kOne}},
     .help = "Replicas for requests that are queued while no replica is ready: enough for all of "
             "them at once, or one, and the average decides later.",
     .reach = kNumberAboveZero},
    {.name = "keep-alive",
     .at = {at<&ScalingRules::keep_alive>},
     .tier = Tier::kMain,
     .choices = {{"learned", KeepAlive::kLearned},
                 {"window", KeepAlive::kWindow},
                 {"constant", KeepAlive::kConstant}},
     .help = "When the last replica ends. learned: after a window without requests, or at once if "
             "twelve times in a row none came within it; if requests "
             "come in a rhythm, at once, and it is started again before the next one is due. "
             "window: when the window holds no load and the grace period is over. constant: "
             "after idle-clock without requests; bellows simulate --suggest finds the best."},
    {.name = "cold-start-worth",
     .at = {at<&ScalingRules::cold_start_worth>},
     .bounds = between(0s, 24h),
     .help = "With keep-alive learned: how long an idle replica "
             "may be kept to save one request a cold start."},
    {.name = "idle-clock",
     .at = {at<&ScalingRules::idle_clock>},
     .bounds = between(1s, 24h),
     .help = "With keep-alive constant: time without requests after which the last replica ends."},
};

}  // namespace

std::span<const Group> scaling_groups() {
  static constexpr Group kGroups[] = {
      {"Profile", kServices, kProfile},
      {"Load of one replica", kServices, kLoad},
      {"Windows and modes", kServices, kWindows},
      {"Number of replicas", kServices, kNumbers},
      {"Rules: headroom", kServices, kRuleHeadroom},
      {"Rules: first and last replica", kServices, kRuleEnds},
  };
  return kGroups;
}

}  // namespace bellows::config
