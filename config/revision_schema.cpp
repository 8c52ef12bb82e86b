#include "config/revision_schema.hpp"

#include <string>

#include "base/duration_text.hpp"
#include "config/profiles.hpp"
#include "config/time_limit_rules.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Settings = RevisionSettings;
using Revisions = Schema<RevisionSettings>;

bool is_below_max_scale(const Settings& s, PodCount pods) {
  return s.max_scale == 0 || pods <= s.max_scale;
}

bool starts_at_min_scale(const Settings& s) {
  return !s.activation_scale || *s.activation_scale >= s.min_scale;
}

bool has_knatives_min_window(const Settings& s) {
  return s.profile != Profile::kKnative || s.window >= 6s;
}

bool has_knatives_max_retention(const Settings& s) {
  return s.profile != Profile::kKnative || s.scale_to_zero_pod_retention_period <= 1h;
}

void add_bounds_rules(Revisions& schema) {
  const std::string below = " at most max-scale, or max-scale 0 (no limit)";
  schema.add_rule({{"min-scale", "max-scale"},
                   [](const Settings& s) { return is_below_max_scale(s, s.min_scale); },
                   "min-scale" + below,
                   "self.maxScale == 0 || self.minScale <= self.maxScale"});
  schema.add_rule({{"initial-scale", "max-scale"},
                   [](const Settings& s) { return is_below_max_scale(s, s.initial_scale); },
                   "initial-scale" + below,
                   "self.maxScale == 0 || self.initialScale <= self.maxScale"});
  schema.add_rule({{"max-scale", "port"},
                   [](const Settings& s) { return s.port == 0 || s.max_scale == 1; },
                   "max-scale 1 with a fixed port, or no port and an app that takes $PORT"});
  schema.add_rule({{"activation-scale", "min-scale"},
                   starts_at_min_scale,
                   "activation-scale at least min-scale",
                   "self.activationScale >= self.minScale"});
  schema.add_rule(
      {{"activation-scale", "max-scale"},
       [](const Settings& s) { return is_below_max_scale(s, s.activation_scale.value_or(0)); },
       "activation-scale" + below,
       "self.maxScale == 0 || self.activationScale <= self.maxScale"});
}

void add_load_rules(Revisions& schema) {
  schema.add_rule({{"target-min", "container-concurrency"},
                   [](const Settings& s) {
                     return s.container_concurrency == 0 ||
                            s.slow_brain.target_min <= s.container_concurrency;
                   },
                   "target-min at most container-concurrency, or container-concurrency 0",
                   "self.containerConcurrency == 0 || "
                   "self.targetMin <= double(self.containerConcurrency)"});
  schema.add_rule({{"window", "profile"},
                   has_knatives_min_window,
                   "a window of at least 6s under profile knative",
                   "self.profile != 'knative' || duration(self.window) >= duration('6s')"});
  schema.add_rule({{"scale-to-zero-pod-retention-period", "profile"},
                   has_knatives_max_retention,
                   "scale-to-zero-pod-retention-period at most 1h under profile knative",
                   "self.profile != 'knative' || "
                   "duration(self.scaleToZeroPodRetentionPeriod) <= duration('1h')"});
}

/// Returns the layer of a fixed port, which two replicas cannot have.
Layer port_layer(std::string_view port) {
  if (port == "0") return {};
  return {{.source = Source::kProfile,
           .key = "max-scale",
           .value = "1",
           .place = "port " + std::string(port),
           .problem = {}}};
}

}  // namespace

const Schema<RevisionSettings>& revision_schema() {
  static const Revisions schema = [] {
    auto declared = Revisions::of(Program::kService);
    declared.set_profiles({.setting = "profile", .layer = profile_layer});
    declared.set_implied({.setting = "port", .layer = port_layer});
    declared.set_derived([](Settings& s) { set_rules_of(s.profile, s.rules); });
    declared.include(&Settings::rules, schema_of<ScalingRules>());
    declared.include(&Settings::callers, schema_of<CallerSettings>());
    declared.include(&Settings::resources, resources_schema());
    declared.include(&Settings::slow_brain, slow_brain_schema());
    add_bounds_rules(declared);
    add_load_rules(declared);
    add_time_limit_rules(declared);
    return declared;
  }();
  return schema;
}

std::string queue_age_note(const RevisionSettings& settings) {
  const Duration timeout = settings.request_timeout;
  const bool is_chosen = settings.queue_age != RevisionSettings().queue_age;
  if (!is_chosen || timeout == Duration::zero() || settings.queue_age < timeout) return {};
  return "queue-age " + duration_text(settings.queue_age) + " is not below revision-timeout " +
         duration_text(timeout) + ", which includes the wait: a request that waits longer gets 504";
}

RevisionSettings one_machine_settings() {
  RevisionSettings settings;
  settings.target = 10;
  settings.max_scale = 8;
  settings.initial_scale = 0;
  return settings;
}

}  // namespace bellows::config
