#include "config/profiles.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace bellows::config {

namespace {

using Texts = std::initializer_list<std::pair<const char*, const char*>>;

const Texts& knative() {
  static const Texts kTexts = {
      {"max-scale-down-rate", "2"},
      {"progress-deadline", "10m"},
      {"observed-load", "total"},
      {"backlog", "load"},
      {"pod-count", "ready"},
      {"buffer", "0"},
      {"rounding-tolerance", "0"},
      {"panic-ratio", "rounded"},
      {"panic-exit-percentage", "100"},
      {"panic-extends", "while-over"},
      {"panic-decides", "larger-window"},
      {"count-starting", "false"},
      {"missing-seconds", "zero"},
      {"weighted-mean", "raw"},
      {"average-rounding", "six-decimals"},
      {"no-data", "no-decision"},
      {"first-replicas", "one"},
      {"small-load-rules", "same"},
      {"headroom", "utilization"},
      {"early-scale-up", "window"},
      {"learn-burstiness", "false"},
      {"look-ahead", "false"},
      {"scale-down-smoothing", "none"},
      {"keep-alive", "window"},
      {"grace-from", "activator"},
      {"down-rate-order", "before-delay"},
      {"after-restart", "panic"},
  };
  return kTexts;
}

const Texts& seed() {
  static const Texts kTexts = {
      {"container-concurrency-target-percentage", "100"},
      {"max-scale-up-rate", "10"},
      {"max-scale-down-rate", "1000000"},  // none
      {"observed-load", "mean-per-pod"},
      {"backlog", "load"},
      {"pod-count", "window"},
      {"buffer", "0"},
      {"rounding-tolerance", "0"},
      {"panic-ratio", "per-pod"},
      {"panic-exit-percentage", "100"},
      {"panic-extends", "on-increase"},
      {"panic-decides", "panic-window"},
      {"count-starting", "false"},
      {"missing-seconds", "unknown"},
      {"weighted-mean", "normalized"},
      {"average-rounding", "none"},
      {"no-data", "no-decision"},
      {"first-replicas", "one"},
      {"small-load-rules", "same"},
      {"headroom", "utilization"},
      {"early-scale-up", "window"},
      {"learn-burstiness", "false"},
      {"look-ahead", "false"},
      {"scale-down-smoothing", "none"},
      {"keep-alive", "constant"},
      {"idle-clock", "5m"},
      {"down-rate-order", "after-delay"},
      {"after-restart", "nothing"},
  };
  return kTexts;
}

}  // namespace

Layer profile_layer(std::string_view name) {
  Layer layer;
  if (name == "bellows") return layer;
  for (const auto& [key, value] : name == "knative" ? knative() : seed()) {
    layer.push_back({.source = Source::kProfile,
                     .key = key,
                     .value = value,
                     .place = "profile " + std::string(name),
                     .problem = {}});
  }
  return layer;
}

}  // namespace bellows::config
