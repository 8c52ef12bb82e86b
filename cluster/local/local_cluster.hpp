// Replicas as child processes of this program: each one an app and the queue-proxy before it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/local/cgroup_tree.hpp"
#include "cluster/resources.hpp"

namespace bellows::cluster {

struct LocalClusterOptions {
  std::string queue_proxy = {};     ///< its program; empty: beside this program
  std::string keeper = {};          ///< replica-keeper; empty: beside this program
  std::string autoscaler_url = {};  ///< "ws://127.0.0.1:7070/v1/stats"; empty: nobody gets stats
  std::string log_format = {};  ///< of the queue-proxies: "plain" or "json"; empty: their default
  Duration usage_period = std::chrono::seconds(2);  ///< between two readings of /proc
  /// Where the apps of services whose resources-mode is not off get their control groups.
  std::function<Result<std::unique_ptr<CgroupTree>>()> make_groups = system_cgroup_tree;
};

/// How far the end of a LocalCluster is. kServing -> kDraining -> kKilling -> kStopped; a stage may
/// be skipped.
enum class ShutdownStage : std::uint8_t {
  kServing,
  kDraining,  ///< every queue-proxy got SIGTERM, requests in flight are finished
  kKilling,   ///< the deadline has passed or kill_now() was called: SIGKILL
  kStopped,   ///< no process of ours is left
};

/// Owner: the program, one per process. Thread: the io thread. Nothing runs until the first
/// scale(). Every child runs under a replica-keeper, so all of them, and what they started, end
/// when this process does, whatever ends it. Destroying it kills what is left.
class LocalCluster final : public Cluster, public SizeWriter {
 public:
  /// Looks up every program that will be needed. kNotFound or kSystem naming the command
  /// ("nonexistent: no such program in PATH"), kConflict for a name that is listed twice.
  /// `io`, `clock` and `random` outlive the cluster.
  static Result<std::unique_ptr<LocalCluster>> create(http::net::io_context& io,
                                                      const sys::Clock& clock, Random& random,
                                                      std::vector<config::Service> services,
                                                      LocalClusterOptions options);
  ~LocalCluster() override;
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  SnapshotPtr snapshot() const override;
  bool ready() const override;  ///< always
  std::unique_ptr<Subscription> subscribe(std::function<void()> changed) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) override;
  http::Awaitable<Result<void>> retire(RevisionId revision) override;

  std::string cannot_write() const override;
  http::Awaitable<Result<void>> size_new(RevisionId revision, ReplicaSize size) override;
  http::Awaitable<Result<void>> resize(RevisionId revision, PodName replica,
                                       ReplicaSize size) override;

  /// Tells `listener`, every usage_period and as things happen, about the apps of services whose
  /// resources-mode is not off. It outlives the cluster, or is taken back by nullptr.
  void tell(ResourceListener* listener);

  /// Where replicas that are started from now on send their stats, when the address was not known
  /// yet at create(): the port may be the system's choice.
  void send_stats_to(std::string autoscaler_url);

  /// Other settings for a running service: whoever follows the snapshot goes by them from now on,
  /// and so do replicas that are started from now on. Running ones stay as they were started; that
  /// none of them is sent more than it takes, the snapshot lists the smallest
  /// container-concurrency among them until they have gone. kNotFound, kGone, kUnavailable.
  Result<void> configure(const RevisionId& revision, const config::RevisionSettings& settings);

  /// Drains everything, kills what is left at `deadline`, and ends when no process is left. Orders
  /// are refused with kUnavailable from here on. Call it once.
  http::Awaitable<void> shut_down(TimePoint deadline);

  /// Cuts a running shut_down() short: SIGKILL for everything, now.
  void kill_now();

  ShutdownStage shutdown_stage() const;

 private:
  class Impl;
  LocalCluster();
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cluster
