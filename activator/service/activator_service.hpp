// The activator as a whole: part of `bellows run`, or the program of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "activator/service/activation_handler.hpp"
#include "activator/service/cold_start_journal.hpp"
#include "activator/service/queue_stats.hpp"
#include "activator/service/redirect_port.hpp"
#include "activator/service/revision_ports.hpp"
#include "activator/service/revision_router.hpp"
#include "activator/service/scale_from_zero_notifier.hpp"
#include "activator/service/secure_port.hpp"
#include "activator/service/settled_requests.hpp"
#include "activator/service/workers.hpp"
#include "base/endpoint.hpp"
#include "cluster/api.hpp"
#include "config/tls_settings.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stat.hpp"
#include "proxy/io/access_log.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/server_series.hpp"
#include "proxy/io/span_exporter.hpp"

namespace bellows::activator {

struct ActivatorOptions {
  Endpoint listen;                         ///< for callers
  config::TlsSettings tls;                 ///< of `listen`
  StatIdentity identity;                   ///< in its stats
  ActivatorShare share;                    ///< among several activators
  proxy::AccessLog* access_log = nullptr;  ///< outlives the service; nullptr: no access log
  proxy::SpanExporter* spans = nullptr;    ///< outlives the service; nullptr: none are exported
  proxy::ProxyServerOptions server;
  proxy::UpstreamOptions upstream;
  /// True if triggers reach an autoscaler right now; empty: always (it is in this process).
  std::function<bool()> is_autoscaler_connected;
  /// The cluster tells late that a replica takes requests: starting ones that requests wait for
  /// are probed.
  bool probes_starts = false;
  std::size_t workers = 1;  ///< event loops, this one included, that serve callers
};

/// The load of one revision right now.
struct RevisionStatus {
  RevisionId revision;
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
};

/// The drain time if no service is known: requests in flight are those of removed services.
inline constexpr Duration kDefaultDrainTime = std::chrono::minutes(10);

/// With several workers the others are threads of its own: what it is asked for is that of all.
/// Stages: start(), start_draining(), stop(); each once, in that order.
/// Owner: the program. Thread: the io thread. The arguments outlive it.
class ActivatorService {
 public:
  ActivatorService(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
                   metrics::prometheus::Registry& registry, ActivatorOptions options);
  ~ActivatorService();
  ActivatorService(const ActivatorService&) = delete;
  ActivatorService& operator=(const ActivatorService&) = delete;

  /// GET /v1/requests/ID: what the callers of failed requests were not told; GET /v1/cold-starts:
  /// the journal of cold starts. Before server.listen(); it outlives `server`.
  void add_routes(http::ServiceServer& server);

  /// Listens: returns the address with the real port, or an error that names the address, or the
  /// file of a certificate that cannot be used. `socket`: accepts from that one instead of binding
  /// one.
  Result<Endpoint> start(std::optional<http::BoundSocket> socket = std::nullopt);
  /// Reads certificates again, for connections from now on. Without effect if there are none. After
  /// an error those read before stay in force.
  Result<void> reload_certificates();

  /// Becomes unready at once. Requests are still taken; keep-alive connections close after their
  /// response, and `idle` ones as it says.
  void start_draining(proxy::IdleConnections idle = proxy::IdleConnections::kClose);

  /// Requests and tunnels that are held or in flight.
  std::int64_t open_requests() const { return counters().in_flight; }
  bool is_idle() const { return open_requests() == 0; }
  std::size_t open_connections() const;
  /// When callers came last that may come again: a request that is no probe, a connection without
  /// one, or now, while the path of a revision includes this activator. Older than `since`: any
  /// time, or nothing.
  std::optional<TimePoint> last_arrival(TimePoint since) const;

  /// How long requests in flight may need: the longest drain_time() of the known services, or
  /// kDefaultDrainTime.
  Duration drain_time() const;

  /// Stops listening, waits for held requests and those in flight until `deadline`, and resets the
  /// rest.
  http::Awaitable<void> stop(TimePoint deadline, std::function<void()> on_tunnels_left = nullptr);

  /// Ready if it takes requests and knows the services. The autoscaler does not matter.
  Result<void> readiness() const;

  /// Updates the gauges, for /metrics.
  void refresh_gauges();

  /// True while a request of the revision waits or is in flight here.
  bool has_requests(const RevisionId& revision) const;

  /// What became of the revision's requests so far; nullopt: it is not listed. Those that take
  /// longer than `slow` count as slow from now on.
  std::optional<Served> served(const RevisionId& revision, Duration slow);

  std::vector<RevisionStatus> status() const;
  /// Connections of callers, by worker.
  std::vector<std::size_t> connections_by_worker() const;
  /// Has the other workers look at the clock, see Reactor::tick(). For tests that move time by
  /// hand.
  void tick();
  /// The ports of single revisions.
  const RevisionPorts& ports() const { return ports_; }

  proxy::ProxyCounters counters() const;
  const ColdStartJournal& cold_starts() const { return cold_starts_; }

 private:
  WorkerReport others(TimePoint since) const;
  ColdStartObserver on_cold_start();
  void add_series(proxy::SpanExporter* spans);
  http::Response replies_of(const std::string& id) const;
  static http::Response details_elsewhere();
  http::Awaitable<void> watch_tunnels(std::function<void()> on_tunnels_left);
  http::Awaitable<void> close_seconds();
  Result<Endpoint> listen(std::optional<http::BoundSocket> socket);
  Result<void> listen_for_redirects(std::uint16_t https_port);

  http::Reactor& reactor_;
  cluster::Cluster& cluster_;
  const Endpoint listen_;
  const config::TlsSettings tls_;
  WorkerLock lock_;
  SettledRequests settled_;  // of the requests of this loop
  ScaleFromZeroNotifier notifier_;
  QueueStats stats_;
  ReplicaProber prober_;
  StartProber starts_;
  SeededRandom random_;
  PageFiles pages_;
  RevisionDependencies dependencies_;
  RevisionRouter router_;
  proxy::UpstreamPool pool_;
  ColdStartJournal cold_starts_;
  ActivationHandler handler_;
  const proxy::AccessLog* access_log_;  // nullptr: none
  metrics::prometheus::Counter access_log_dropped_;
  metrics::prometheus::Registry& registry_;
  std::unique_ptr<SecurePort> secure_;  // nullptr: callers come in the clear
  std::unique_ptr<RedirectPort> redirect_;
  const proxy::ProxyServerOptions server_options_;
  proxy::ProxyServer server_;
  std::unique_ptr<Workers> workers_;  // nullptr: there is one loop
  RevisionPorts ports_;
  std::vector<metrics::prometheus::Listing> series_;
  std::unique_ptr<cluster::Subscription> changes_;
  http::TaskGroup tasks_;
  /// Each stage lists the one that follows.
  enum class Stage : std::uint8_t {
    kNew,       ///< -> kServing
    kServing,   ///< -> kDraining
    kDraining,  ///< -> (end)
  };
  Stage stage_ = Stage::kNew;
};

}  // namespace bellows::activator
