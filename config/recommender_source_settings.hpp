// The sources of usage for a recommender, their intervals, and the file of its state.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"

namespace bellows::config {

/// Settings of Prometheus as a source, with VPA's names for flags that it has too (docs/sizing.md).
struct PrometheusSettings {
  Endpoint endpoint;  ///< empty: none
  std::string job = "kubernetes-cadvisor";
  std::string workload_label;  ///< empty: derived from the name of the pod
  Duration history_length = std::chrono::hours(192);
  Duration history_resolution = std::chrono::hours(1);
  Duration history_timeout = std::chrono::minutes(5);
  Duration timeout = std::chrono::seconds(10);  ///< of each later query

  bool operator==(const PrometheusSettings&) const = default;
};
/// The loop of the recommender, in `bellows run` and in the program `recommender`.
struct RecommenderLoopSettings {
  Duration interval = std::chrono::minutes(1);        ///< between recommendations
  Duration usage_interval = std::chrono::minutes(1);  ///< between samples of a container
  std::string shadow_policies;  ///< run beside the chosen one, "vpa,spike"; empty: none
  std::string checkpoint_file;  ///< empty: no state is kept
  Duration checkpoint_interval = std::chrono::minutes(1);

  bool operator==(const RecommenderLoopSettings&) const = default;
};
/// Returns intervals of ten seconds, because one machine has few replicas.
RecommenderLoopSettings one_machine_loop();
}  // namespace bellows::config
