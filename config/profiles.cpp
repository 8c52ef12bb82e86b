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
      {"rounding-tolerance", "0"},
      {"weighted-mean", "raw"},
      {"average-rounding", "six-decimals"},
      {"no-data", "no-decision"},
      {"first-replicas", "one"},
      {"headroom", "utilization"},
      {"early-scale-up", "window"},
      {"keep-alive", "window"},
      {"after-restart", "panic"},
  };
  return kTexts;
}

const Texts& seed() {
  static const Texts kTexts = {
      {"container-concurrency-target-percentage", "100"},
      {"max-scale-up-rate", "10"},
      {"max-scale-down-rate", "1000000"},  // none
      {"rounding-tolerance", "0"},
      {"weighted-mean", "normalized"},
      {"average-rounding", "none"},
      {"no-data", "no-decision"},
      {"first-replicas", "one"},
      {"headroom", "utilization"},
      {"early-scale-up", "window"},
      {"keep-alive", "constant"},
      {"idle-clock", "5m"},
      {"after-restart", "panic"},
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
