// The autoscaler as a part of a program: it takes stats and orders replicas.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "autoscaler/service/activator_streams.hpp"
#include "autoscaler/service/day_file.hpp"
#include "autoscaler/service/instruments.hpp"
#include "autoscaler/service/path_applier.hpp"
#include "autoscaler/service/reporter.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "autoscaler/service/stat_endpoint.hpp"
#include "autoscaler/service/status_page.hpp"
#include "autoscaler/service/webhook_asker.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::autoscaler {

/// A source without a report for so long is dead.
inline constexpr Duration kDeadSourceAfter = std::chrono::seconds(3);

struct AutoscalerOptions {
  Duration dead_source_after = kDeadSourceAfter;
  std::string state_file;     ///< empty: nothing is saved
  Bytes journal_memory = {};  ///< for the decisions of the last day; 0: none are kept
  std::string day_file = {};  ///< keeps them for the next process; empty: nothing does
  bool lets_sleep = false;    ///< see RevisionRegistry::let_sleep()
};

/// Owner: the program (`autoscaler`, or `bellows run` with everything in one). Thread: the io
/// thread. The arguments of the constructor outlive it.
///   AutoscalerService autoscaler(io, cluster, clock, registry, options);
///   autoscaler.add_routes(server);  // then server.listen()
///   autoscaler.start();
class AutoscalerService final : private DecisionListener {
 public:
  /// Reads the state file with its changes, and STATE_FILE.slow with the learned state of the slow
  /// brains. It ignores an invalid file with a warning, and renames an invalid STATE_FILE.slow.
  AutoscalerService(http::net::io_context& io, cluster::Cluster& cluster, const sys::Clock& clock,
                    metrics::prometheus::Registry& metrics, AutoscalerOptions options);
  ~AutoscalerService() override;
  AutoscalerService(const AutoscalerService&) = delete;
  AutoscalerService& operator=(const AutoscalerService&) = delete;

  /// Adds /v1/stats, /v1/status, /v1/revisions/... Call it before server.listen(). The service
  /// outlives `server`.
  void add_routes(http::ServiceServer& server);

  /// Adds data to the status, see StatusPage.
  void add_resources(StatusAddition resources) { page_.add_resources(std::move(resources)); }
  void add_traffic(TrafficOf traffic) { page_.add_traffic(std::move(traffic)); }
  void add_changes(std::function<std::string()> changes) { page_.add_changes(std::move(changes)); }

  /// Sets the source of the machine's room, if all replicas run on one machine, and its part of the
  /// status. Call it before start(); `room` outlives the service.
  void use(RoomSource& room, std::function<std::string()> status) {
    registry_.use(room);
    page_.add_machine(std::move(status));
  }

  /// Starts to decide with the first list of the cluster. Call it once.
  void start();

  /// Makes the decisions that are due, retries rejected orders, saves changed state. start() calls
  /// it every 100 ms; a test with its own clock calls it directly.
  void tick();

  /// Returns the sink for stats of the same program.
  metrics::StatSink& sink() { return registry_; }

  const RevisionRegistry& registry() const { return registry_; }

  /// Writes the day for the next process, which is else written once in a minute. Call it when
  /// nothing is ordered any more.
  http::Awaitable<void> save_day();

  /// Updates the counters before the metrics are exposed.
  void refresh_metrics();

  /// Ends ticks and running orders and saves the state, by `deadline` at the latest.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  void decided(ScaledRevision& revision, const Decision& decision, const Memory& before) override;
  void removed(const RevisionId& revision) override;
  void order(const ScaledRevision& revision, const Decision& decision);
  void follow_activators();
  void follow_cluster(const cluster::Changes& changes);
  http::Awaitable<void> run_ticks();
  http::Awaitable<void> run_day_saves();
  void read_learned();
  void save_learned_if_due();
  void save_learned();

  http::net::io_context& io_;
  cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  AutoscalerOptions options_;
  http::TaskGroup tasks_;
  http::TaskGroup day_saves_;  // apart, because they end before the last save
  ScaleApplier applier_;
  ActivatorStreams activators_;
  PathApplier paths_;
  SettingsStreams settings_;
  Reporter reporter_;
  RevisionRegistry registry_;
  WebhookAsker webhooks_;
  StateLog state_log_;
  DayFile day_;
  Instruments instruments_;
  StatGuard guard_;
  StatEndpoint endpoint_;
  StatusPage page_;
  std::unique_ptr<cluster::Subscription> subscription_;
  bool has_list_ = false;  // the whole list of the cluster has arrived
  bool is_learned_save_broken_ = false;
  TimePoint last_learned_save_;
};

}  // namespace bellows::autoscaler
