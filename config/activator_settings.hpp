// Settings of the activator program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/access_log_settings.hpp"
#include "config/kubernetes_settings.hpp"
#include "config/log_settings.hpp"
#include "config/path_settings.hpp"
#include "config/request_policies.hpp"
#include "config/schema.hpp"
#include "config/server_settings.hpp"
#include "config/tls_settings.hpp"
#include "config/trace_settings.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// The fields are declared in activator_settings.cpp. Limits per revision (queue-depth,
/// queue-bytes, queue-age) are in RevisionSettings.
struct ActivatorSettings {
  Endpoint listen{.host = "0.0.0.0", .port = 8012, .unix_path = {}};  ///< requests
  Endpoint admin{.host = "0.0.0.0", .port = 8022, .unix_path = {}};   ///< health and metrics
  std::string admin_hosts;  ///< comma-separated; empty: all
  KubernetesSettings kubernetes;
  /// See PathSettings.
  std::string activator_service{kDefaultActivatorService};
  WebSocketUrl autoscaler;                ///< receives stats; required
  std::string stats_token_file;           ///< as in QueueProxySettings
  std::optional<PodName> name;            ///< in stats; unset: see source_name()
  std::optional<Duration> drain_timeout;  ///< for requests in flight at shutdown; unset: the
                                          ///< longest drain time of its services
  Duration drain_quiet_time{};            ///< without a new request, before a drain ends
  std::string workers{"1"};               ///< see worker_count()
  ErrorDetail error_detail = ErrorDetail::kGeneric;
  TlsSettings tls;
  ServerSettings server;
  LogSettings log;
  AccessLogSettings access_log;
  TraceSettings trace;

  bool operator==(const ActivatorSettings&) const = default;
};

/// Returns the name of this source of stats, unique among activators: `name`, else the host name,
/// which is that of the pod, else "activator-" and the process id.
PodName source_name(const ActivatorSettings& settings, const std::string& host,
                    std::int64_t process);

/// The purpose of the program, for its help and its manual page.
inline constexpr const char* kActivatorSummary =
    "Holds requests until a replica is ready, and balances them over the ready replicas";

const Schema<ActivatorSettings>& activator_schema();

}  // namespace bellows::config
