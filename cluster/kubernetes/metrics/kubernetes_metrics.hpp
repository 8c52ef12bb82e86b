// Metrics of the client of the API server, for /metrics (bellows_kubernetes_*).
#pragma once

#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster.hpp"
#include "kubernetes/io/api_client.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::cluster {

/// Calls by verb, resource and result; ages of each list and watch. Read from their owners during a
/// scrape. Owner: main(). Thread: the io thread.
class KubernetesMetrics {
 public:
  /// All of them outlive it.
  KubernetesMetrics(metrics::prometheus::Registry& metrics, const kubernetes::ApiClient& client,
                    const KubernetesCluster& cluster, const sys::Clock& clock);

 private:
  std::vector<metrics::prometheus::Listing> listings_;
};

}  // namespace bellows::cluster
