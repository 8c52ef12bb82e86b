// Settings of `recommender serve`.
#pragma once

#include <cstdint>
#include <string>

#include "base/endpoint.hpp"
#include "config/kubernetes_settings.hpp"
#include "config/log_settings.hpp"
#include "config/recommender_settings.hpp"
#include "config/recommender_source_settings.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// The cluster whose containers get recommendations.
enum class RecommenderCluster : std::uint8_t {
  kNone,        ///< what Prometheus or a file has
  kKubernetes,  ///< the objects of the Vertical Pod Autoscaler
};

/// The treatment of VerticalPodAutoscalers that do not name this recommender.
enum class ObjectsOfOthers : std::uint8_t {
  kLeave,    ///< nothing
  kCompare,  ///< our numbers are annotations beside those of their recommender
  kAdopt,    ///< those that name nobody get our recommendations
};

/// The fields are declared in recommender_program_settings.cpp.
struct RecommenderProgramSettings {
  /// Metrics, health, recommendations: for this machine. VPA's port.
  Endpoint listen{.host = "127.0.0.1", .port = 8942, .unix_path = {}};
  RecommenderSettings policies;
  RecommenderLoopSettings loop;
  PrometheusSettings prometheus;
  std::string usage_file;  ///< in replay format; empty: none
  RecommenderCluster cluster = RecommenderCluster::kNone;
  KubernetesSettings kubernetes;
  std::string lease;  ///< NAMESPACE/NAME; empty: this recommender is the only one
  ObjectsOfOthers others = ObjectsOfOthers::kLeave;
  LogSettings log;

  bool operator==(const RecommenderProgramSettings&) const = default;
};

const Schema<RecommenderProgramSettings>& recommender_program_schema();

}  // namespace bellows::config
