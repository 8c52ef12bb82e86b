#include "cluster/kubernetes/metrics/kubernetes_metrics.hpp"

#include <optional>

namespace bellows::cluster {

namespace {

using metrics::prometheus::AddSeries;

/// Adds the age of one time of each watched kind; none if that time is unknown.
template <class Read>
auto ages(const KubernetesCluster& cluster, const sys::Clock& clock, Read read) {
  return [&cluster, &clock, read](const AddSeries& add) {
    for (const WatchedKind& kind : cluster.watches()) {
      const std::optional<TimePoint> at = read(kind.status);
      if (at) add({{"kind", kind.name}}, to_seconds(clock.now() - *at));
    }
  };
}

template <class Read>
auto numbers(const KubernetesCluster& cluster, Read read) {
  return [&cluster, read](const AddSeries& add) {
    for (const WatchedKind& kind : cluster.watches()) {
      add({{"kind", kind.name}}, static_cast<double>(read(kind.status)));
    }
  };
}

}  // namespace

KubernetesMetrics::KubernetesMetrics(metrics::prometheus::Registry& metrics,
                                     const kubernetes::ApiClient& client,
                                     const KubernetesCluster& cluster, const sys::Clock& clock) {
  using Status = kubernetes::ListWatchStatus;
  listings_.push_back(metrics.list_counters(
      "bellows_kubernetes_calls_total", "Calls to the API server", [&client](const AddSeries& add) {
        for (const auto& [call, number] : client.counters().calls) {
          add({{"verb", call.verb}, {"resource", call.resource}, {"result", call.result}},
              static_cast<double>(number));
        }
      }));
  listings_.push_back(metrics.list_counters(
      "bellows_kubernetes_rate_limited_seconds_total",
      "Time that calls have waited for the rate limit of this program",
      [&client](const AddSeries& add) { add({}, to_seconds(client.counters().limited)); }));
  listings_.push_back(metrics.list_gauges(
      "bellows_kubernetes_list_age_seconds", "Since the last complete list",
      ages(cluster, clock, [](const Status& status) { return status.listed; })));
  listings_.push_back(metrics.list_gauges(
      "bellows_kubernetes_watch_age_seconds", "Since the open watch started; missing without one",
      ages(cluster, clock, [](const Status& status) { return status.watching_since; })));
  listings_.push_back(metrics.list_gauges(
      "bellows_kubernetes_failing_seconds", "Since the first failure after the last success",
      ages(cluster, clock, [](const Status& status) { return status.failing_since; })));
  listings_.push_back(
      metrics.list_counters("bellows_kubernetes_lists_total", "Complete lists",
                            numbers(cluster, [](const Status& status) { return status.lists; })));
  listings_.push_back(
      metrics.list_counters("bellows_kubernetes_watches_total", "Opened watches",
                            numbers(cluster, [](const Status& status) { return status.watches; })));
  listings_.push_back(
      metrics.list_counters("bellows_kubernetes_watch_events_total", "Events of watches",
                            numbers(cluster, [](const Status& status) { return status.events; })));
  listings_.push_back(metrics.list_counters(
      "bellows_kubernetes_rejected_objects_total", "Objects that could not be used",
      numbers(cluster, [](const Status& status) { return status.rejected; })));
}

}  // namespace bellows::cluster
