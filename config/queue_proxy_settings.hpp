// Settings of the queue-proxy program. Environment variables have Knative's names where it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/access_log_settings.hpp"
#include "config/log_settings.hpp"
#include "config/readiness_probe.hpp"
#include "config/request_policies.hpp"
#include "config/schema.hpp"
#include "config/server_settings.hpp"
#include "config/trace_settings.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// The fields are declared, with variable, bounds and help, in queue_proxy_settings.cpp.
struct QueueProxySettings {
  // Identity.
  RevisionId service;  ///< empty: the revision is the only one of a service of its name
  RevisionId revision;
  PodName pod;

  // Addresses.
  std::string listen_host = "0.0.0.0";
  std::uint16_t serving_port = 8012;  ///< 0: chosen by the system
  std::uint16_t admin_port = 8022;    ///< 0: chosen by the system
  /// The port for activators, whose internal headers are trusted there; 0: chosen by the system;
  /// unset: none. Callers in a cluster use both ports.
  std::optional<std::uint16_t> activator_port;
  /// The port for hooks of containers: /drain; 0: chosen by the system; unset: none.
  std::optional<std::uint16_t> drain_port;
  std::string user_host = "127.0.0.1";
  std::uint16_t user_port = 0;   ///< of the app; required
  WebSocketUrl autoscaler;       ///< receives stats; empty: none are sent
  std::string stat_secret;       ///< sent to the autoscaler; empty: none
  std::string stats_token_file;  ///< its content is sent in place of a secret; empty: none is
  /// Only activators can reach the port for requests, and there is no activator-port.
  bool behind_activator = false;
  /// An inherited descriptor that receives listening and readiness events (docs/formats/wire.md);
  /// -1: none.
  std::int32_t notify_fd = -1;

  // Time limits of a request; zero: none.
  Duration request_timeout = std::chrono::seconds(300);
  Duration response_start_timeout = Duration::zero();  ///< zero: same as request_timeout
  Duration idle_timeout = Duration::zero();
  Duration max_tunnel_life = Duration::zero();

  // Concurrency and queue.
  std::int32_t container_concurrency = 0;   ///< 0: no limit, hence no queue
  std::optional<std::int64_t> queue_depth;  ///< unset: see waiting_limit()
  Bytes queue_bytes = mebibytes(64);
  Duration queue_age = std::chrono::seconds(60);
  QueueTimeHeader queue_time_header =
      QueueTimeHeader::kWaited;  ///< for callers other than activators

  ErrorDetail error_detail = ErrorDetail::kGeneric;
  AppProtocol app_protocol = AppProtocol::kAuto;

  // Probe requests.
  std::string probe_user_agents;  ///< prefixes of User-Agent, comma-separated
  std::string probe_paths;        ///< whole paths, comma-separated

  // App.
  ReadinessProbe readiness;
  std::optional<ReadinessProbe>
      liveness;  ///< unset: the app is not probed; see docs/formats/wire.md
  std::optional<Duration> drain_timeout;  ///< unset: see drain_time()
  Duration drain_quiet_time = Duration::zero();

  Duration window = std::chrono::seconds(60);  ///< history of stats that is kept
  ServerSettings server;
  LogSettings log;
  AccessLogSettings access_log;
  TraceSettings trace;

  /// Returns the maximum number of queued requests: queue_depth, else 10 * container_concurrency,
  /// as in Knative.
  std::int64_t waiting_limit() const;
  /// Returns the time between probes while the app starts: 5 ms for an app on this machine, 25 ms
  /// for others.
  Duration starting_probe_interval() const;

  /// Returns the time that requests have to finish after SIGTERM: drain_timeout, else
  /// request_timeout, else 5 minutes.
  Duration drain_time() const { return config::drain_time(drain_timeout, request_timeout); }

  bool operator==(const QueueProxySettings&) const = default;
};

/// The purpose of the program, for its help and its manual page.
inline constexpr const char* kQueueProxySummary =
    "The sidecar of one replica: limits, queues and measures its requests, and drains";

const Schema<QueueProxySettings>& queue_proxy_schema();

}  // namespace bellows::config
