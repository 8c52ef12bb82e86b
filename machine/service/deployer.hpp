// The services of a running machine: added, changed and removed while requests are served.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/replica_size.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/local/revision_host.hpp"
#include "config/fixed_ports.hpp"
#include "http/io/task_group.hpp"
#include "machine/core/canary.hpp"
#include "machine/core/difference.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/order_checks.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_order.hpp"
#include "machine/service/service_orders.hpp"
#include "machine/service/service_page.hpp"
#include "machine/service/service_store.hpp"
#include "machine/service/tag_orders.hpp"

namespace bellows::machine {

struct DeployerOptions {
  std::string state_file = {};      ///< empty: nothing outlives this process
  std::int32_t keep_revisions = 5;  ///< revisions without a share that each service keeps
  /// Returns true while a request of the revision waits or is in flight.
  std::function<bool(const RevisionId&)> has_requests;
  /// Returns how many replicas the load of a revision needs, a fraction; nullopt: not known.
  /// nullptr: it is never known.
  std::function<std::optional<double>(const RevisionId&)> demand = nullptr;
  CanaryRunner::ServedSoFar served;
  /// Returns the size of the first replicas of a revision; empty or nullptr: the size in its
  /// settings.
  std::function<ReplicaSize(const config::Service&)> size_of_first = nullptr;
  config::FixedPorts ports = {};  ///< that no app gets
  bool is_measuring = false;  ///< apps can be measured; new ones with a resources-mode need that
};

/// The parts that carry orders out, and the task that follows pending orders. Owner: the machine.
/// Thread: the io thread. Orders that change something are passed to take().
class Deployer {
 public:
  /// All of them outlive it. `cluster` scales the revisions of `host`; on one machine both are one
  /// object.
  Deployer(http::net::io_context& io, const sys::Clock& clock, cluster::Cluster& cluster,
           cluster::RevisionHost& host, Records records, DeployerOptions options);
  Deployer(const Deployer&) = delete;
  Deployer& operator=(const Deployer&) = delete;

  /// `order`: of ServiceOrders or TagOrders. Follows from now on what it has started.
  template <class Order>
  Result<ServiceAnswer> take(Order order) {
    Result<ServiceAnswer> answer = order(orders_, tags_);
    start_watching();
    start_expiring();
    return answer;
  }

  /// Returns the time of day `after` from now, in whole milliseconds, for ServiceOrder::expires.
  WallTime wall_time_in(Duration after) const;

  const ServiceStore& store() const { return store_; }
  const ServicePage& page() const { return page_; }
  /// Returns the services that were applied last, for file_services().
  FileServices declared() const { return machine::declared(store_.records()); }

  /// Refuses every later order; pending rollouts end with the old shares.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  PlacerWorld placer_world(DeployerOptions& options);
  void scale(const RevisionId& id, PodCount replicas);
  void start_watching();
  http::Awaitable<void> watch();
  void start_expiring();
  http::Awaitable<void> expire();
  std::optional<WallTime> next_expiry() const;
  bool remove_expired();
  bool has_work() const;
  void look();

  const sys::Clock& clock_;
  cluster::Cluster& cluster_;
  http::TaskGroup tasks_;
  ServiceStore store_;
  RevisionPlacer placer_;
  RolloutRunner rollouts_;
  CanaryRunner canaries_;
  OrderChecks checks_;
  TagOrders tags_;
  ServiceOrders orders_;
  ServicePage page_;
  bool is_watching_ = false;
  bool is_expiring_ = false;
  std::map<RevisionId, std::string> not_removed_;  // expired services, with the error last logged
};

}  // namespace bellows::machine
