#include "activator/service/instruments.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "metrics/prometheus/revision_labels.hpp"

namespace bellows::activator {
namespace {

using metrics::prometheus::Labels;
using metrics::prometheus::Registry;
using metrics::prometheus::revision_labels;

metrics::prometheus::Counter requests(Registry& registry, Labels labels,
                                      const std::string& code_class) {
  labels["code_class"] = code_class;
  return registry.counter("bellows_activator_requests_total",
                          "Requests that ended, by class of the status sent to the caller; none: "
                          "the caller disconnected before a response",
                          labels);
}

/// Makes a counter for each FailureReason.
template <std::size_t... I>
std::array<metrics::prometheus::Counter, sizeof...(I)> by_reason(Registry& registry,
                                                                 const Labels& labels,
                                                                 const std::string& name,
                                                                 const std::string& help,
                                                                 std::index_sequence<I...>) {
  const auto with = [&](FailureReason reason) {
    Labels of_reason = labels;
    of_reason["reason"] = std::string(to_string(reason));
    return of_reason;
  };
  return {registry.counter(name, help, with(kFailureReasons[I]))...};
}

constexpr auto kReasons = std::make_index_sequence<kFailureReasons.size()>();

metrics::prometheus::Histogram cold_start(Registry& registry, Labels labels, std::string until) {
  labels["until"] = std::move(until);
  return registry.histogram(
      "bellows_activator_cold_start_seconds",
      "Time from the first held request of a revision at zero until the app's "
      "process started, the replica was ready, the response head arrived",
      metrics::prometheus::latency_bounds(), labels);
}

}  // namespace

metrics::prometheus::Gauge RevisionInstruments::missing_page(Registry& registry,
                                                             const RevisionId& service,
                                                             const RevisionId& revision) {
  return registry.gauge("bellows_activator_missing_pages",
                        "Files of waiting-page that cannot be read; the built-in page is shown",
                        revision_labels(service, revision));
}

RevisionInstruments::RevisionInstruments(Registry& registry, const RevisionId& service,
                                         const RevisionId& revision)
    : RevisionInstruments(registry, revision_labels(service, revision)) {}

RevisionInstruments::RevisionInstruments(Registry& registry, const Labels& labels)
    : in_flight(registry.gauge("bellows_activator_in_flight", "Requests at a replica", labels)),
      queue_depth(registry.gauge("bellows_activator_queue_depth",
                                 "Requests that wait for a replica", labels)),
      ejected_replicas(registry.gauge("bellows_activator_ejected_replicas",
                                      "Replicas that are ejected now", labels)),
      unreachable_replicas(registry.gauge(
          "bellows_activator_unreachable_replicas",
          "Replicas that the cluster lists as ready while none can be reached at its address",
          labels)),
      scale_from_zero_triggers(
          registry.counter("bellows_activator_scale_from_zero_triggers_total",
                           "Triggers sent because requests wait and no replica is ready", labels)),
      requests_{requests(registry, labels, "none"), requests(registry, labels, "1xx"),
                requests(registry, labels, "2xx"),  requests(registry, labels, "3xx"),
                requests(registry, labels, "4xx"),  requests(registry, labels, "5xx")},
      retries_(by_reason(registry, labels, "bellows_activator_retries_total",
                         "Retried requests, by the reason why the attempt before failed",
                         kReasons)),
      ejections_(by_reason(registry, labels, "bellows_activator_ejections_total",
                           "Ejections of replicas, by the reason why their request failed",
                           kReasons)),
      duration_(registry.histogram("bellows_activator_request_duration_seconds",
                                   "Time from the arrival of a request to the end of its response",
                                   metrics::prometheus::latency_bounds(), labels)),
      queue_time_(registry.histogram("bellows_activator_queue_seconds",
                                     "Time that requests were held before they got a replica",
                                     metrics::prometheus::latency_bounds(), labels)),
      held_until_process_(cold_start(registry, labels, "process-started")),
      held_until_ready_(cold_start(registry, labels, "ready")),
      held_until_answer_(cold_start(registry, labels, "first-byte")) {}

void RevisionInstruments::request_ended(int status, Duration total) {
  const auto code_class = static_cast<std::size_t>(std::clamp(status / 100, 0, 5));
  requests_[code_class].add();
  duration_.observe(to_seconds(total));
}

void RevisionInstruments::cold_start_ended(const ColdStart& start) {
  // A step that happened before the request was held took none of the caller's time.
  const auto since_held = [&](TimePoint at) {
    return to_seconds(std::max(at - start.held, Duration::zero()));
  };
  if (start.process_started) held_until_process_.observe(since_held(*start.process_started));
  if (start.ready) held_until_ready_.observe(since_held(*start.ready));
  held_until_answer_.observe(since_held(start.answered));
}

}  // namespace bellows::activator
