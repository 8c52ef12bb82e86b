// Settings of the autoscaler program. The decision interval (2 s) is a constant, not a setting.
#pragma once

#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "config/kubernetes_settings.hpp"
#include "config/log_settings.hpp"
#include "config/path_settings.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Declared field by field in autoscaler_settings.cpp.
struct AutoscalerSettings {
  std::optional<Endpoint> listen;  ///< stats, health, metrics; unset: see listen_address()
  std::string admin_hosts;         ///< comma-separated
  std::string control_socket;      ///< empty: chosen; none with cluster "kubernetes"
  std::string cluster;  ///< "kubernetes", or unix:/PATH of `bellows up --autoscaler`; required
  KubernetesSettings kubernetes;  ///< with cluster "kubernetes"
  PathSettings path;              ///< with cluster "kubernetes"
  std::string state_file;         ///< keeps panic and delay state across restarts; empty: none
  /// A source of stats that does not report for this long counts as gone.
  Duration dead_source_after = std::chrono::seconds(3);
  LogSettings log;

  bool is_on_kubernetes() const { return cluster == kKubernetes; }
  /// `listen`, else port 8080: of this machine alone, or of the pod.
  Endpoint listen_address() const;
  bool operator==(const AutoscalerSettings&) const = default;
};

/// What the program is for, in its help and on its manual page.
inline constexpr const char* kAutoscalerSummary =
    "Decides how many replicas each service runs, from the stats of its replicas";

const Schema<AutoscalerSettings>& autoscaler_schema();

}  // namespace bellows::config
