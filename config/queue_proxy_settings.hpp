// Settings of the queue-proxy program. Environment names are Knative's where it has them.
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
#include "config/websocket_url.hpp"

namespace bellows::config {

/// Declared field by field, with variable, bounds and help, in queue_proxy_settings.cpp.
struct QueueProxySettings {
  // Who it stands for.
  RevisionId revision;
  PodName pod;
  std::string name_space;  ///< told by Knative; used nowhere

  // Addresses.
  std::string listen_host = "0.0.0.0";
  std::uint16_t serving_port = 8012;  ///< 0: the system picks one
  std::uint16_t admin_port = 8022;    ///< 0: the system picks one
  std::string user_host = "127.0.0.1";
  std::uint16_t user_port = 0;  ///< of the app; required
  WebSocketUrl autoscaler;      ///< where stats go; empty: nowhere
  /// Every caller is an activator, so its internal headers are believed and it has written
  /// Forwarded already. Only where nobody else can reach the port.
  bool behind_activator = false;
  /// An inherited descriptor that is told when the ports are open and when readiness changes; -1:
  /// none.
  std::int32_t notify_fd = -1;

  // Limits of one request; zero: none.
  Duration request_timeout = std::chrono::seconds(300);
  Duration response_start_timeout = Duration::zero();  ///< zero: as request_timeout
  Duration idle_timeout = Duration::zero();

  // Concurrency and waiting.
  std::int32_t container_concurrency = 0;   ///< 0: no limit, and so no queue
  std::optional<std::int64_t> queue_depth;  ///< unset: see waiting_limit()
  Bytes queue_bytes = mebibytes(64);
  Duration queue_age = std::chrono::seconds(60);
  QueueTimeHeader queue_time_header = QueueTimeHeader::kWaited;  ///< for callers from outside

  // Requests that only ask whether somebody is there.
  std::string probe_user_agents;  ///< beginnings of a User-Agent, with commas between them
  std::string probe_paths;        ///< whole paths, with commas between them

  // The app's life.
  ReadinessProbe readiness;
  std::optional<Duration>
      probe_interval;  ///< while the app starts; unset: see starting_probe_interval()
  std::optional<Duration> drain_timeout;  ///< unset: see drain_time()

  Duration stable_window = std::chrono::seconds(60);  ///< how many stats are kept for a replay
  LogSettings log;
  AccessLogSettings access_log;

  /// Requests that may wait for a slot: queue_depth, or Knative's 10 * container_concurrency.
  std::int64_t waiting_limit() const;
  /// probe_interval, or 5 ms for an app on this machine and 25 ms for one elsewhere.
  Duration starting_probe_interval() const;

  /// The longest that requests may go on after SIGTERM: drain_timeout, else request_timeout, else 5
  /// minutes.
  Duration drain_time() const { return config::drain_time(drain_timeout, request_timeout); }

  bool operator==(const QueueProxySettings&) const = default;
};

const Schema<QueueProxySettings>& queue_proxy_schema();

}  // namespace bellows::config
