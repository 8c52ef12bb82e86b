#include "config/profiles.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace bellows::config {

namespace {

using Texts = std::initializer_list<std::pair<const char*, const char*>>;

const Texts& knative() {
  static const Texts kTexts = {
      {"max-scale-down-rate", "2"}, {"progress-deadline", "10m"}, {"first-replicas", "one"},
      {"headroom", "utilization"},  {"early-scale-up", "window"}, {"keep-alive", "window"},
  };
  return kTexts;
}

const Texts& seed() {
  static const Texts kTexts = {
      {"max-scale-up-rate", "10"},  {"max-scale-down-rate", "1000000"},  // none
      {"first-replicas", "one"},    {"headroom", "utilization"},
      {"early-scale-up", "window"}, {"keep-alive", "constant"},
      {"idle-clock", "5m"},
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

void set_rules_of(Profile profile, ScalingRules& rules) {
  const ScalingRules usual;
  const bool is_knative = profile == Profile::kKnative;
  const bool is_bellows = profile == Profile::kBellows;
  rules.rounding_tolerance = is_bellows ? usual.rounding_tolerance : 0;
  rules.weighted_mean = is_knative ? WeightedMean::kRaw : usual.weighted_mean;
  rules.average_rounding = is_knative ? AverageRounding::kSixDecimals : usual.average_rounding;
  rules.no_data = is_bellows ? usual.no_data : NoData::kNoDecision;
  rules.after_restart = is_bellows ? usual.after_restart : AfterRestart::kPanic;
}

}  // namespace bellows::config
