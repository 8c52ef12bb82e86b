#include "config/aliases.hpp"

#include <algorithm>
#include <array>

namespace bellows::config {
namespace {

/// A row of the table of aliases.
struct AliasRow {
  std::string_view setting;
  Programs programs;                 ///< that accept the names
  std::string_view annotation = {};  ///< of autoscaling.knative.dev, in all its spellings
  std::array<std::string_view, 2> keys = {};
  std::string_view variable = {};
};

constexpr Programs kSpike = Program::kRecommender | Program::kRecommenderServe;

constexpr AliasRow kAliasRows[] = {
    // Knative: annotations.
    {"metric", kServices, "metric"},
    {"metric-aggregation-algorithm", kServices, "metric-aggregation-algorithm"},
    {"target", kServices, "target"},
    {"target-utilization-percentage",
     kServices,
     "target-utilization-percentage",
     {"container-concurrency-target-percentage"}},
    {"window", kServices, "window", {"stable-window"}},
    {"panic-window-percentage", kServices, "panic-window-percentage"},
    {"panic-threshold-percentage", kServices, "panic-threshold-percentage"},
    {"scale-down-delay", kServices, "scale-down-delay"},
    {"target-burst-capacity", kServices, "target-burst-capacity"},
    {"min-scale", kServices, "min-scale"},
    {"max-scale", kServices, "max-scale"},
    {"initial-scale", kServices, "initial-scale"},
    {"activation-scale", kServices, "activation-scale"},
    {"scale-to-zero-pod-retention-period",
     kServices,
     "scale-to-zero-pod-retention-period",
     {"idle-time"}},
    {"policy", kServices, "policy"},
    {"autoscaling", kServices, "autoscaling"},
    {"occupied-by", kServices, "occupied-by"},
    {"load-balancing-policy", kServices, {}, {"serving.knative.dev/load-balancing-policy"}},
    {"progress-deadline", kServices, {}, {"serving.knative.dev/progress-deadline"}},
    // Knative: fields of a Revision, and keys of config-observability.
    {"container-concurrency", kServices, {}, {"containerConcurrency"}},
    {"revision-timeout", kServices, {}, {"revision-timeout-seconds", "timeoutSeconds"}},
    {"revision-response-start-timeout",
     kServices,
     {},
     {"revision-response-start-timeout-seconds", "responseStartTimeoutSeconds"}},
    {"revision-idle-timeout",
     kServices,
     {},
     {"revision-idle-timeout-seconds", "idleTimeoutSeconds"}},
    {"access-log", kProxies, {}, {"logging.enable-request-log"}},
    {"access-log-probes", kProxies, {}, {"logging.enable-probe-request-log"}},
    // Knative: variables of its queue-proxy.
    {"service", Program::kQueueProxy, {}, {}, "SERVING_SERVICE"},
    {"revision", Program::kQueueProxy, {}, {}, "SERVING_REVISION"},
    {"pod", Program::kQueueProxy, {}, {}, "SERVING_POD"},
    {"queue-serving-port", Program::kQueueProxy, {}, {}, "QUEUE_SERVING_PORT"},
    // Not BELLOWS_ACTIVATOR_PORT: Kubernetes sets that beside a Service bellows-activator.
    {"activator-port", Program::kQueueProxy, {}, {}, "QUEUE_SERVING_ACTIVATOR_PORT"},
    {"user-port", Program::kQueueProxy, {}, {}, "USER_PORT"},
    {"container-concurrency", Program::kQueueProxy, {}, {}, "CONTAINER_CONCURRENCY"},
    {"revision-timeout", Program::kQueueProxy, {}, {}, "REVISION_TIMEOUT_SECONDS"},
    {"revision-response-start-timeout",
     Program::kQueueProxy,
     {},
     {},
     "REVISION_RESPONSE_START_TIMEOUT_SECONDS"},
    {"revision-idle-timeout", Program::kQueueProxy, {}, {}, "REVISION_IDLE_TIMEOUT_SECONDS"},
    {"readiness-probe", Program::kQueueProxy, {}, {}, "SERVING_READINESS_PROBE"},
    // A map of bellows.yaml in one line.
    {"resources-mode", kServices, {}, {"resources.mode"}},
    // Annotations of the spike rule.
    {"scale-up-factor", kSpike, {}, {"scaleUpFactor"}},
    {"scale-down-safety-factor", kSpike, {}, {"scaleDownSafetyFactor"}},
    {"threshold-monitor-time-window", kSpike, {}, {"thresholdMonitorTimeWindow"}},
    {"threshold-num-crashes", kSpike, {}, {"thresholdNumCrashes"}},
    {"threshold-scale-up", kSpike, {}, {"thresholdScaleUp"}},
    {"threshold-scale-down", kSpike, {}, {"thresholdScaleDown"}},
    // A flag of one letter.
    {"detach", Program::kRun | Program::kUp, {}, {"d"}},
};

}  // namespace

std::vector<std::string> annotation_aliases(std::string_view name) {
  const std::string prefix = "autoscaling.knative.dev/";
  const std::string camel = camel_case(name);
  std::vector<std::string> aliases = {prefix + std::string(name)};
  if (camel != name) {
    aliases.push_back(camel);
    aliases.push_back(prefix + camel);
  }
  return aliases;
}

Aliases aliases_of(std::string_view name, Programs programs) {
  Aliases all;
  for (const AliasRow& row : kAliasRows) {
    if (row.setting != name || !row.programs.intersect(programs)) continue;
    if (!row.annotation.empty()) all.keys = annotation_aliases(row.annotation);
    for (const std::string_view key : row.keys) {
      if (!key.empty()) all.keys.emplace_back(key);
    }
    if (!row.variable.empty()) all.variable = row.variable;
  }
  return all;
}

}  // namespace bellows::config
