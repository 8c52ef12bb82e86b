// The whole activator: part of `bellows run`, or a program of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
  Endpoint listen;                         ///< address for callers
  config::TlsSettings tls;                 ///< for `listen`
  StatIdentity identity;                   ///< used in its stats
  proxy::AccessLog* access_log = nullptr;  ///< must outlive the service; nullptr: no access log
  proxy::SpanExporter* spans = nullptr;    ///< must outlive the service; nullptr: no export
  proxy::ProxyServerOptions server;
  proxy::UpstreamOptions upstream;
  /// Returns true while triggers reach an autoscaler; empty: always (it is in this process).
  std::function<bool()> is_autoscaler_connected;
  /// The cluster reports late that a replica accepts requests, so starting ones that requests wait
  /// for are probed.
  bool probes_starts = false;
  std::size_t workers = 1;  ///< event loops that serve callers, this one included
};

/// The current load of one revision.
struct RevisionStatus {
  RevisionId revision;
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
};

/// The drain time if no service is known: requests in flight are those of removed services.
inline constexpr Duration kDefaultDrainTime = std::chrono::minutes(10);

/// Serves callers and forwards their requests to replicas. With several workers the others are
/// threads of its own, and all results cover all workers. Call start(), start_draining() and stop()
/// once each, in that order. The arguments outlive it. Owner: the program. Thread: the io thread.
class ActivatorService {
 public:
  ActivatorService(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
                   metrics::prometheus::Registry& registry, ActivatorOptions options);
  ~ActivatorService();
  ActivatorService(const ActivatorService&) = delete;
  ActivatorService& operator=(const ActivatorService&) = delete;

  /// Adds GET /v1/requests/ID, the withheld details of failed requests, and GET /v1/cold-starts,
  /// the journal of cold starts. Call it before server.listen(); this object outlives `server`.
  void add_routes(http::ServiceServer& server);

  /// Listens. Returns the address with the real port, or an error that names the address, or the
  /// file of a certificate that cannot be used. With `socket` it accepts from that one instead of
  /// binding one.
  Result<Endpoint> start(std::optional<http::BoundSocket> socket = std::nullopt);
  /// Reads certificates again, for connections from now on. It has no effect without certificates.
  /// After an error the previous ones stay in force.
  Result<void> reload_certificates();

  /// Becomes unready at once. Requests are still accepted; keep-alive connections close after their
  /// response, and idle ones according to `idle`.
  void start_draining(proxy::IdleConnections idle = proxy::IdleConnections::kClose);

  /// Returns the requests and tunnels that are held or in flight.
  std::int64_t open_requests() const { return counters().in_flight; }
  bool is_idle() const { return open_requests() == 0; }
  std::size_t open_connections() const;
  /// Returns when callers that may return arrived last: a request that is no probe, a connection
  /// without one, or now, while the path of a revision includes this activator. If all of them
  /// arrived before `since`, the result is any earlier time or nullopt.
  std::optional<TimePoint> last_arrival(TimePoint since) const;

  /// Returns how long requests in flight may need: the longest drain_time() of the known services,
  /// or kDefaultDrainTime.
  Duration drain_time() const;

  /// Stops listening, waits for held requests and those in flight until `deadline`, and resets the
  /// others.
  http::Awaitable<void> stop(TimePoint deadline, std::function<void()> on_tunnels_left = nullptr);

  /// Returns success if it accepts requests and knows the services. The autoscaler has no effect.
  Result<void> readiness() const;

  /// Updates the gauges, for /metrics.
  void refresh_gauges();

  /// Returns true while a request of the revision waits or is in flight here.
  bool has_requests(const RevisionId& revision) const;

  /// Returns the results of the revision's requests so far; nullopt if it is not listed. Those that
  /// take longer than `slow` count as slow from now on.
  std::optional<Served> served(const RevisionId& revision, Duration slow);

  /// Returns the requests of the last minute of these revisions together.
  RecentSum recent(std::span<const RevisionId> revisions) const;

  std::vector<RevisionStatus> status() const;
  /// Returns the number of callers' connections by worker.
  std::vector<std::size_t> connections_by_worker() const;
  /// Calls Reactor::tick() of the other workers. Tests that move time by hand use it.
  void tick();
  /// Returns the ports of single revisions.
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
  std::unique_ptr<SecurePort> secure_;  // nullptr: callers connect without TLS
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
