// The activator as a whole: part of `bellows run`, or the program of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "activator/service/activation_handler.hpp"
#include "activator/service/queue_stats.hpp"
#include "activator/service/revision_router.hpp"
#include "activator/service/waker.hpp"
#include "base/endpoint.hpp"
#include "cluster/api.hpp"
#include "http/io/reactor.hpp"
#include "http/io/task_group.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stat.hpp"
#include "proxy/io/access_log.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/server_series.hpp"

namespace bellows::activator {

struct ActivatorOptions {
  Endpoint listen;                         ///< where callers come in
  StatIdentity identity;                   ///< as a source of stats
  ActivatorShare share;                    ///< which of how many activators
  proxy::AccessLog* access_log = nullptr;  ///< outlives the service; nullptr: none is written
  proxy::ProxyServerOptions server;
  proxy::UpstreamOptions upstream;
  /// Whether wakes reach an autoscaler right now; empty: always (it is in this program).
  std::function<bool()> autoscaler_listens;
  /// Each wake, once its first request is being answered; may be empty.
  ColdStartObserver on_cold_start;
};

/// What happens at one revision right now.
struct LineStatus {
  RevisionId revision;
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
};

/// What runs though no service is known is of one that was removed.
inline constexpr Duration kDrainTimeOfNone = std::chrono::minutes(10);

/// Stages: start(), start_draining(), stop(); each once, in that order.
/// Owner: the program. Thread: the io thread. What is handed in outlives it.
class ActivatorService {
 public:
  ActivatorService(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
                   metrics::prometheus::Registry& registry, ActivatorOptions options);
  ~ActivatorService();
  ActivatorService(const ActivatorService&) = delete;
  ActivatorService& operator=(const ActivatorService&) = delete;

  /// Opens the port: the address with the real port, or the error that names it.
  Result<Endpoint> start();

  /// Unready at once; requests are still taken, kept-alive connections close after their answer.
  void start_draining();

  /// No request or tunnel is held or in flight.
  bool is_idle() const { return server_.is_idle(); }

  /// How long what runs may need to end: the longest drain_time() of the services it knows, or
  /// kDrainTimeOfNone.
  Duration drain_time() const;

  /// Closes the port, waits for what is in flight or held until `deadline`, resets what is left.
  http::Awaitable<void> stop(TimePoint deadline);

  /// Takes requests and knows the services. Whether the autoscaler is there does not matter.
  Result<void> readiness() const;

  /// For /metrics: sets the gauges to what is true now.
  void refresh_gauges();

  std::vector<LineStatus> status() const;
  const proxy::ProxyCounters& counters() const { return server_.counters(); }

 private:
  http::Awaitable<void> close_seconds();

  http::Reactor& reactor_;
  cluster::Cluster& cluster_;
  const Endpoint listen_;
  Waker waker_;
  QueueStats stats_;
  ReplicaProber prober_;
  SeededRandom random_;
  LineSurroundings surroundings_;
  RevisionRouter router_;
  proxy::UpstreamPool pool_;
  ActivationHandler handler_;
  const proxy::AccessLog* access_log_;  // nullptr: none
  metrics::prometheus::Counter access_log_dropped_;
  proxy::ProxyServer server_;
  std::vector<metrics::prometheus::Listing> series_;
  std::unique_ptr<cluster::Subscription> changes_;
  http::TaskGroup tasks_;
  enum class Stage { kNew, kServing, kDraining } stage_ = Stage::kNew;
};

}  // namespace bellows::activator
