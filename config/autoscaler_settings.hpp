// Settings of the autoscaler program. The decision interval (2 s) is a constant, not a setting.
#pragma once

#include <cstdint>
#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "config/kubernetes_settings.hpp"
#include "config/log_settings.hpp"
#include "config/path_settings.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// The proof that senders of stats bring.
enum class StatsAuth : std::uint8_t {
  kOff,  ///< none: a stat counts if its pod is listed
  kOn,   ///< the token of their pod
};

/// The fields are declared in autoscaler_settings.cpp.
struct AutoscalerSettings {
  Endpoint listen{.host = "0.0.0.0", .port = 8080, .unix_path = {}};  ///< stats, health, metrics
  std::string admin_hosts;  ///< comma-separated; empty: all
  KubernetesSettings kubernetes;
  PathSettings path;
  std::string lease;  ///< NAMESPACE/NAME; empty: this autoscaler is the only one
  StatsAuth stats_auth = StatsAuth::kOff;
  std::string state_file;  ///< keeps panic and delay state across restarts; empty: none
  LogSettings log;

  bool operator==(const AutoscalerSettings&) const = default;
};

/// The purpose of the program, for its help and its manual page.
inline constexpr const char* kAutoscalerSummary =
    "Decides how many replicas each service runs, from the stats of its replicas";

const Schema<AutoscalerSettings>& autoscaler_schema();

}  // namespace bellows::config
