// The whole queue-proxy: its parts, and the order in which they start and stop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/random.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/reach.hpp"
#include "http/io/service_server.hpp"
#include "metrics/meter.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stream/stat_senders.hpp"
#include "proxy/io/access_log.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/server_series.hpp"
#include "proxy/io/span_exporter.hpp"
#include "queue-proxy/core/log_once_per_reason.hpp"
#include "queue-proxy/service/drainer.hpp"
#include "queue-proxy/service/instruments.hpp"
#include "queue-proxy/service/liveness_prober.hpp"
#include "queue-proxy/service/notifier.hpp"
#include "queue-proxy/service/prober.hpp"
#include "queue-proxy/service/reporter.hpp"
#include "queue-proxy/service/request_handler.hpp"

namespace bellows::queue_proxy {

/// `io`, clock and random outlive it. Owner: main(). Thread: the io thread.
class Service {
 public:
  Service(http::net::io_context& io, const sys::Clock& clock, Random& random,
          config::QueueProxySettings settings);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Opens the ports, then probes and reports. An error names the setting that failed.
  Result<void> start();

  /// Reports a stop signal from a process other than the parent. The parent is notified and
  /// decides: it ends this process, or it is ending itself and ends this process after its requests
  /// have drained.
  void signalled_by_stranger();
  /// Returns how long to wait for the parent's decision after that.
  Duration time_for_parent() const { return settings_.drain_time(); }

  /// Resets the state of the previous process after a restart of the app.
  void app_restarted();

  /// Takes the settings that the autoscaler sends, for requests from now on, and keeps them until
  /// the next order, whether or not it is connected. Returns the answer; nullopt for an order that
  /// is not for this replica.
  std::optional<metrics::SettingsTaken> take(const metrics::SettingsOrder& order);

  /// Becomes not ready at once, finishes the requests in flight and in the queue, and returns as
  /// soon as they are done and none has arrived for the quiet time, or the drain time is over. It
  /// accepts requests until then, because a caller may not know yet that this replica is draining.
  /// Tunnels that remain keep running after the port is closed.
  http::Awaitable<void> drain_and_stop();

 private:
  using Listen = std::function<Result<Endpoint>(const Endpoint&)>;

  Result<Ports> open_ports();
  Result<Endpoint> open_port(std::string_view setting, std::uint16_t port,
                             const Listen& listen) const;
  Listen listen_for(proxy::Peer callers);
  DrainLoad drain_load();
  void tunnels_left();
  void drain_began(DrainCause cause);
  void drain_undone();
  void warn_of_stopped_requests() const;
  void warn_of_refused(const config::SettingTexts& refused);
  void app_refused();
  void app_hung();
  void add_admin_pages();
  std::string metrics_text();
  void readiness_changed();
  void probe_failed();
  void warn_unready() const;

  const config::QueueProxySettings settings_;  // of the start
  config::QueueProxySettings live_;            // those with what the autoscaler ordered
  config::SettingTexts refused_;               // of the last order
  const sys::Clock& clock_;
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  Instruments instruments_;
  Notifier notifier_;
  metrics::ConcurrencyMeter meter_;
  metrics::ServiceMeter service_meter_;
  AppUsage app_usage_;
  Occupancy occupancy_;
  metrics::StatSenders sender_;
  Reporter reporter_;
  Prober prober_;
  proxy::UpstreamPool pool_;
  RequestHandler handler_;
  std::optional<LivenessProber> liveness_;  // if there is a liveness-probe
  std::optional<proxy::AccessLog> access_log_;
  std::unique_ptr<proxy::SpanExporter> spans_;  // nullptr: none are exported
  proxy::ProxyServer server_;
  std::vector<metrics::prometheus::Listing> series_;
  http::ServiceServer admin_;
  std::optional<http::ServiceServer> hooks_;  // if there is a drain-port
  Drainer drainer_;
  LogOncePerReason unready_log_;
};

}  // namespace bellows::queue_proxy
