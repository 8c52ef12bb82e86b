#include "config/revision_schema.hpp"

#include <string>
#include <utility>
#include <vector>

#include "config/forms.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Settings = RevisionSettings;
using Revisions = Schema<RevisionSettings>;

void declare_target(Revisions& schema) {
  schema.group("Load of one replica");
  schema.add(&Settings::container_concurrency,
             {.name = "container-concurrency",
              .aliases = {"containerConcurrency"},
              .bounds = between(0, 1000),
              .help = "Hard limit of requests in flight in one replica. 0 is no limit."});
  schema.add(&Settings::target,
             {.name = "target",
              .aliases = annotation_aliases("target"),
              .bounds = at_least(0.01),
              .help = "Requests in flight that one replica should carry; never more than "
                      "container-concurrency.",
              .unset = "container-concurrency, or container-concurrency-target-default if that is "
                       "0"});
  std::vector<std::string> utilization = annotation_aliases("target-utilization-percentage");
  schema.add(&Settings::target_utilization_percentage,
             {.name = "target-utilization-percentage",
              .aliases = std::move(utilization),
              .fraction_alias = "container-concurrency-target-percentage",
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "How much of the target to plan with; the rest is room for what comes next. "
                      "Under Knative's cluster-wide key container-concurrency-target-percentage, "
                      "0.7 means 70 %."});
  schema.add(&Settings::target_default,
             {.name = "container-concurrency-target-default",
              .bounds = at_least(0.01),
              .help = "The target where neither target nor container-concurrency is set."});
}

void declare_modes(Revisions& schema) {
  schema.group("Windows and modes");
  std::vector<std::string> window = annotation_aliases("window");
  window.emplace_back("stable-window");
  schema.add(&Settings::window,
             {.name = "window",
              .aliases = std::move(window),
              .bounds = in_whole_seconds(between(2s, 1h)),
              .help = "The stable window: the time over which load is averaged. Knative's least is "
                      "6s; shorter ones are for demonstrations."});
  schema.add(&Settings::panic_window_percentage,
             {.name = "panic-window-percentage",
              .aliases = annotation_aliases("panic-window-percentage"),
              .kind = Kind::kPercent,
              .bounds = between(1, 100),
              .help = "The panic window as a part of the window, rounded to whole seconds, at "
                      "least 1s."});
  schema.add(&Settings::panic_threshold_percentage,
             {.name = "panic-threshold-percentage",
              .aliases = annotation_aliases("panic-threshold-percentage"),
              .kind = Kind::kPercent,
              .bounds = between(110, 1000),
              .help = "Load over the panic window, as a part of what the ready replicas should "
                      "carry, from which on panic mode begins."});
  schema.add(
      &Settings::max_scale_up_rate,
      {.name = "max-scale-up-rate",
       .bounds = above(1),
       .help = "One decision asks for at most this many times the replicas that are there."});
  schema.add(&Settings::target_burst_capacity,
             {.name = "target-burst-capacity",
              .aliases = annotation_aliases("target-burst-capacity"),
              .bounds = or_also(-1, at_least(0)),
              .help = "Spare room, in requests, that is wanted before the activator leaves the "
                      "path. 0: it is in the path only at zero; -1: always."});
}

void declare_bounds(Revisions& schema) {
  schema.group("Number of replicas");
  schema.add(&Settings::min_scale, {.name = "min-scale",
                                    .aliases = annotation_aliases("min-scale"),
                                    .bounds = at_least(0),
                                    .help = "Never fewer replicas than this."});
  schema.add(&Settings::max_scale, {.name = "max-scale",
                                    .aliases = annotation_aliases("max-scale"),
                                    .bounds = at_least(0),
                                    .help = "Never more replicas than this. 0 is no limit."});
  schema.add(&Settings::initial_scale,
             {.name = "initial-scale",
              .aliases = annotation_aliases("initial-scale"),
              .bounds = at_least(0),
              .help = "Replicas when it is first deployed, before any load is known."});
  schema.add(&Settings::enable_scale_to_zero,
             {.name = "enable-scale-to-zero",
              .help = "Whether the last replica may go when nobody calls."});
  schema.add(&Settings::scale_to_zero_grace_period,
             {.name = "scale-to-zero-grace-period",
              .bounds = between(1ms, 1h),
              .help = "How long the last replica stays after the decision for zero, so that the "
                      "activator is in the path by then."});
}

std::vector<std::string> timeout_aliases(std::string name, std::string camel) {
  return {std::move(name) + "-seconds", std::move(camel) + "Seconds"};
}

void declare_timeouts(Revisions& schema) {
  schema.group("Time limits of one request");
  schema.add(&Settings::request_timeout, {.name = "revision-timeout",
                                          .aliases = timeout_aliases("revision-timeout", "timeout"),
                                          .bounds = between(0s, 24h),
                                          .help = "For the whole request. 0s is no limit."});
  schema.add(&Settings::response_start_timeout,
             {.name = "revision-response-start-timeout",
              .aliases = timeout_aliases("revision-response-start-timeout", "responseStartTimeout"),
              .bounds = between(0s, 24h),
              .help = "Until the response begins. 0s: as revision-timeout."});
  schema.add(&Settings::idle_timeout,
             {.name = "revision-idle-timeout",
              .aliases = timeout_aliases("revision-idle-timeout", "idleTimeout"),
              .bounds = between(0s, 24h),
              .help = "The longest silence within a request, in both directions. 0s is no limit."});
}

void declare_waiting(Revisions& schema) {
  schema.group("Waiting for a replica");
  schema.add(&Settings::queue_depth,
             {.name = "queue-depth",
              .bounds = between(1, 1'000'000),
              .help = "Requests that may wait in the activator; one more is answered with 503."});
  schema.add(&Settings::queue_bytes,
             {.name = "queue-bytes",
              .bounds = between(kibibytes(64), mebibytes(65536)),
              .help = "Memory of waiting requests; beyond it the answer is 503."});
  schema.add(&Settings::queue_age,
             {.name = "queue-age",
              .bounds = between(1ms, 24h),
              .help = "The longest a request waits; then the answer is 503."});
}

void declare_life(Revisions& schema) {
  schema.group("Life of a replica");
  schema.add(&Settings::progress_deadline,
             {.name = "progress-deadline",
              .aliases = {"serving.knative.dev/progress-deadline"},
              .bounds = between(1s, 24h),
              .help = "A replica that is not ready by then is reported as in trouble."});
  schema.add(&Settings::drain_timeout,
             {.name = "drain-timeout",
              .bounds = between(0s, 24h),
              .help = "The longest that a leaving replica may finish its requests."});
  schema.add(&Settings::readiness_path,
             {.name = "readiness-path",
              .form = path_form(),
              .help = "HTTP path that answers 200 to 399 once the app is ready.",
              .unset = "a TCP connect to the app's port"});
}

void add_rules(Revisions& schema) {
  schema.add_rule({{"min-scale", "max-scale"},
                   [](const Settings& s) { return s.max_scale == 0 || s.min_scale <= s.max_scale; },
                   "min-scale at most max-scale, or max-scale 0 (no limit)"});
  schema.add_rule(
      {{"initial-scale", "max-scale"},
       [](const Settings& s) { return s.max_scale == 0 || s.initial_scale <= s.max_scale; },
       "initial-scale at most max-scale, or max-scale 0 (no limit)"});
  schema.add_rule(
      {{"container-concurrency-target-default", "target-utilization-percentage"},
       [](const Settings& s) { return s.target_default * s.target_utilization_percentage >= 1; },
       "a product of at least 0.01 requests"});
  schema.add_rule({{"revision-response-start-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == 0s ||
                            s.response_start_timeout <= s.request_timeout;
                   },
                   "revision-response-start-timeout at most revision-timeout"});
  schema.add_rule({{"revision-idle-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == 0s || s.idle_timeout <= s.request_timeout;
                   },
                   "revision-idle-timeout at most revision-timeout"});
}

}  // namespace

const Schema<RevisionSettings>& revision_schema() {
  static const Revisions schema = [] {
    Revisions declared;
    declare_target(declared);
    declare_modes(declared);
    declare_bounds(declared);
    declare_timeouts(declared);
    declare_waiting(declared);
    declare_life(declared);
    add_rules(declared);
    return declared;
  }();
  return schema;
}

RevisionSettings one_machine_settings() {
  RevisionSettings settings;
  settings.target = 10;
  settings.max_scale = 8;
  settings.initial_scale = 0;
  return settings;
}

}  // namespace bellows::config
