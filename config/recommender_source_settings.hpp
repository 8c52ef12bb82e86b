// Where a recommender learns what containers use, how often it looks, and what it keeps.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"

namespace bellows::config {

template <class T>
class Schema;

/// VPA's flags of the same names, where it has them (docs/sizing.md).
struct PrometheusSettings {
  Endpoint endpoint;  ///< empty: none
  std::string job = "kubernetes-cadvisor";
  std::string namespace_label = "namespace";
  std::string pod_label = "pod_name";
  std::string container_label = "name";
  std::string workload_label;  ///< empty: pods are told apart by what their controller calls them
  Duration history_length = std::chrono::hours(192);
  Duration history_resolution = std::chrono::hours(1);
  Duration history_timeout = std::chrono::minutes(5);
  Duration timeout = std::chrono::seconds(10);  ///< of each later question
  Duration interval = std::chrono::minutes(1);  ///< between two samples of a container

  bool operator==(const PrometheusSettings&) const = default;
};
const Schema<PrometheusSettings>& prometheus_schema();

/// The recommender's loop, in `bellows run` and in the program of its own.
struct RecommenderLoopSettings {
  Duration interval = std::chrono::minutes(1);        ///< between two recommendations
  Duration usage_interval = std::chrono::minutes(1);  ///< between two samples of one container
  std::string shadow_policies;  ///< that run beside the chosen one, "vpa,spike"; empty: none
  std::string checkpoint_file;  ///< empty: nothing is kept
  Duration checkpoint_interval = std::chrono::minutes(1);

  bool operator==(const RecommenderLoopSettings&) const = default;
};
/// On one machine there is little to look at, so it looks every ten seconds.
RecommenderLoopSettings one_machine_loop();
const Schema<RecommenderLoopSettings>& recommender_loop_schema();

}  // namespace bellows::config
