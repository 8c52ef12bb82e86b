// Replicas as child processes of this program, each with an app and its queue-proxy.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/lifetime.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/list_publisher.hpp"
#include "cluster/local/app_groups.hpp"
#include "cluster/local/cgroup_tree.hpp"
#include "cluster/local/local_revision.hpp"
#include "cluster/local/port_allocator.hpp"
#include "cluster/local/replica_room.hpp"
#include "cluster/local/revision_host.hpp"
#include "cluster/local/start_queue.hpp"
#include "cluster/local/usage_watch.hpp"
#include "cluster/resources.hpp"
#include "config/server_settings.hpp"
#include "config/trace_settings.hpp"
#include "http/io/signals.hpp"

namespace bellows::cluster {

struct LocalClusterOptions {
  std::string queue_proxy = {};  ///< path of the program; empty: next to this program
  std::string shim = {};         ///< path of replica-shim; empty: next to this program
  std::string log_format = {};   ///< of the queue-proxies: "plain" or "json"; empty: their default
  config::ErrorDetail error_detail = config::ErrorDetail::kGeneric;  ///< of the queue-proxies
  config::ServerSettings server = {};                ///< of the queue-proxies' ports for requests
  config::TraceSettings trace = {};                  ///< of the queue-proxies
  Duration stop_timeout = std::chrono::seconds(10);  ///< of an app, from SIGTERM to SIGKILL
  Duration usage_period = std::chrono::seconds(2);   ///< between two readings of /proc
  /// Makes the control groups for the apps of services whose resources-mode is not off.
  std::function<Result<std::unique_ptr<CgroupTree>>()> make_groups = system_cgroup_tree;
};

/// The stages of a shutdown. Each lists the stages that may follow.
enum class ShutdownStage : std::uint8_t {
  kServing,   ///< -> kDraining, kKilling
  kDraining,  ///< every queue-proxy got SIGTERM, requests in flight end -> kKilling, kStopped
  kKilling,   ///< the deadline has passed or kill_now() was called: SIGKILL -> kStopped
  kStopped,   ///< all child processes have ended
};

/// Owner: the program, one per process. Thread: the io thread. Nothing runs until the first
/// scale(). Every child runs under a replica-shim, so they all end, with what they started, when
/// this process ends for any reason. The destructor kills what is left.
class LocalCluster final : public Cluster, public SizeWriter, public RevisionHost {
 public:
  /// Looks up every program that will be needed. kNotFound or kSystem with the command
  /// ("nonexistent: no such program in PATH"), kConflict for a name that is listed twice,
  /// kInvalidSetting for replicas that need too many descriptors (check_bounds()). `io`, `clock`
  /// and `random` outlive the cluster.
  static Result<std::unique_ptr<LocalCluster>> create(http::net::io_context& io,
                                                      const sys::Clock& clock, Random& random,
                                                      std::vector<config::ServiceRevision> all,
                                                      LocalClusterOptions options);
  ~LocalCluster() override;
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  const RevisionList& revisions() const override { return publisher_.list(); }
  bool ready() const override { return true; }
  /// Returns nullopt: its replicas are children of this process.
  std::optional<TimePoint> unreachable_since() const override { return std::nullopt; }
  std::unique_ptr<Subscription> subscribe(OnChange on_change) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) override;
  http::Awaitable<Result<void>> set_state(RevisionId revision, RevisionState state) override;
  /// Does nothing: users of this machine ask the autoscaler in this process.
  void report(RevisionId revision, Report report) override;
  /// Returns true: each replica has a random one for the lifetime of this process.
  bool has_stat_secrets() const override { return true; }

  std::string unsupported_reason() const override { return groups_.why_none; }
  http::Awaitable<Result<void>> set_size_of_new_replicas(RevisionId revision,
                                                         ReplicaSize size) override;
  http::Awaitable<Result<void>> resize(RevisionId revision, PodName replica,
                                       ReplicaSize size) override;

  /// `listener` receives the usage of each app every usage_period, and its events when they happen,
  /// for services whose resources-mode is not off. It outlives the cluster, or is removed with
  /// nullptr.
  void set_resource_listener(ResourceListener* listener);

  /// Sets where replicas that start from now on send their stats, for an address that was unknown
  /// at create(): the system may have chosen the port.
  void send_stats_to(std::string autoscaler_url);

  Result<void> configure(const RevisionId& revision,
                         const config::RevisionSettings& settings) override;

  /// Replaces the replicas of a service one after the other; each new one is ready before the old
  /// one drains. Returns at once. kNotFound, kGone, kUnavailable.
  Result<void> restart(const RevisionId& revision);

  /// Returns the last lines of the apps of a service. kNotFound.
  Result<const OutputTail*> output(const RevisionId& revision) const;

  Result<void> check(const config::Service& revision) const override;
  Result<void> check_fit(std::vector<ReplicaBounds> changed) const override;
  Result<void> add(config::ServiceRevision revision, const ReplicaSize& size_of_new = {}) override;
  Result<void> place(const RevisionId& revision, const config::Route& route,
                     std::int32_t share) override;
  Result<void> remove(const RevisionId& revision) override;
  std::vector<std::string> last_lines(const RevisionId& revision) const override;

  /// Announces shut_down(), which follows after requests have been drained. Until then a replica
  /// whose queue-proxy others signal stays: a service manager signals every process at once.
  void expect_shut_down();

  /// Drains all replicas. Later orders are rejected with kUnavailable. Repeated calls do nothing.
  void begin_shut_down();

  /// Calls begin_shut_down(), kills the replicas that are left at `deadline`, and returns when all
  /// processes have ended. Call it once.
  http::Awaitable<void> shut_down(TimePoint deadline);

  /// Ends a running shut_down() at once: SIGKILL for all processes.
  void kill_now();

  ShutdownStage shutdown_stage() const { return stage_; }

 private:
  using Revisions = std::map<RevisionId, LocalRevision>;

  LocalCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
               std::vector<config::ServiceRevision> declared, ReplicaPrograms programs,
               AppGroups groups, Duration usage_period);

  Result<LocalRevision*> known(const RevisionId& id);
  Result<LocalRevision*> in_service(const RevisionId& id);
  LocalReplica* find(const ReplicaKey& key);
  std::vector<ReplicaKey> replicas() const;
  Result<void> scale_now(const RevisionId& id, const ScaleOrder& order);
  Result<void> set_state_now(const RevisionId& id, RevisionState state);
  bool is_port_kept(std::uint16_t port) const;
  bool is_port_busy(const LocalRevision& revision);
  Result<PortLease> lease_port(const LocalRevision& revision);
  Result<void> fill(LocalRevision& revision);
  void fill_waiting();
  Result<void> add_replica(LocalRevision& revision);
  void replace_departed(LocalRevision& revision);
  void advance_restart(LocalRevision& revision);
  void destroy_gone(const RevisionId& id);
  template <class F>
  void for_each_revision(F&& visit) {
    for (auto& [id, revision] : revisions_) visit(revision);
    for (Revisions::node_type& node : removed_) visit(node.mapped());
  }
  void expect_descriptors();
  void publish_soon(const RevisionId& id);
  void publish_changed();
  void publish(const RevisionId& id);
  void publish_all();
  void publish_measured();
  bool is_all_gone() const;
  http::Awaitable<void> until_all_gone(TimePoint deadline);
  void enter(ShutdownStage stage);

  http::net::io_context& io_;
  const sys::Clock& clock_;
  Random& random_;
  ReplicaPrograms programs_;
  const AppGroups groups_;  // outlives the replicas
  PortAllocator ports_;
  Revisions revisions_;
  ResourceListener* listener_ = nullptr;       // of those that are added too
  std::vector<Revisions::node_type> removed_;  // whose replicas drain
  // The next number of a replica of a removed revision: no name is used twice.
  std::map<RevisionId, std::uint64_t> names_used_;
  ListPublisher publisher_;
  std::vector<RevisionId> changed_;  // to be published
  std::set<RevisionId> waiting_;     // for the port that a draining replica has
  StartQueue start_queue_;
  UsageWatch usage_watch_;
  ShutdownStage stage_ = ShutdownStage::kServing;
  bool is_leaving_ = false;               // expect_shut_down()
  std::optional<http::Signals> orphans_;  // as PID 1
  http::AsioTimer all_gone_;              // cancelled when the last replica has gone
  Lifetime lifetime_;                     // for pending callbacks
};

}  // namespace bellows::cluster
