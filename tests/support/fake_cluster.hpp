// A cluster in memory whose behaviour the test controls.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/list_publisher.hpp"

namespace bellows::test {

/// By default replicas are ready at once and gone at once. Instants come from `clock`, usually a
/// ManualClock. Callbacks run on `io`, as the interface requires.
class FakeCluster final : public cluster::Cluster {
 public:
  FakeCluster(http::net::io_context& io, const sys::Clock& clock);

  void add(const config::Service& service);
  void remove(const RevisionId& revision);
  /// Its part of the requests of its service from now on.
  void share(const RevisionId& revision, std::int32_t share);

  // Behaviour after the call.
  void hold_pending(bool on = true) { holds_pending_ = on; }    ///< new replicas stay kPending
  void hold_draining(bool on = true) { holds_draining_ = on; }  ///< terminating ones stay kDraining
  void hold_lists();                                            ///< revisions() becomes stale
  void release_lists();
  void refuse_orders(ErrorKind kind, int count);  ///< the next `count` orders fail with this kind
  void be_unready() { is_ready_ = false; }        ///< as before the first list
  void be_unreachable(std::optional<TimePoint> since) { unreachable_since_ = since; }

  // What happens to a replica or a revision, by name.
  void set_phase(const RevisionId& revision, const PodName& pod, cluster::ReplicaPhase phase,
                 std::string failure_message = {});
  void set_address(const RevisionId& revision, const PodName& pod, Endpoint address);
  void set_failure_message(const RevisionId& revision, std::string failure_message);
  void set_path(const RevisionId& revision, cluster::Path path);
  void set_activators(std::vector<cluster::Activator> activators) {
    publisher_.set_activators(std::move(activators));
  }

  struct Order {
    RevisionId revision;
    cluster::ScaleOrder order;
    bool was_taken = false;
  };
  const std::vector<Order>& orders() const { return orders_; }

  /// The newest of each revision.
  const std::map<RevisionId, cluster::Report>& reports() const { return reports_; }

  /// The newest of each revision.
  const std::map<RevisionId, cluster::PathOrder>& path_orders() const { return path_orders_; }

  const cluster::RevisionList& revisions() const override { return publisher_.list(); }
  bool ready() const override { return is_ready_; }
  std::optional<TimePoint> unreachable_since() const override { return unreachable_since_; }
  std::unique_ptr<cluster::Subscription> subscribe(OnChange on_change) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, cluster::ScaleOrder order) override;
  http::Awaitable<Result<void>> set_state(RevisionId revision,
                                          cluster::RevisionState state) override;
  void report(RevisionId revision, cluster::Report report) override;
  const std::vector<cluster::Activator>& activators() const override {
    return publisher_.activators();
  }
  void route(RevisionId revision, cluster::PathOrder order) override;

 private:
  struct Truth {
    cluster::Revision revision;              // without its replicas
    std::vector<cluster::Replica> replicas;  // the oldest first
    std::uint64_t next_number = 1;
  };

  Result<void> refusal();
  Result<Truth*> known(const RevisionId& revision);
  Result<Truth*> in_service(const RevisionId& revision);
  Result<void> take(const RevisionId& revision, const cluster::ScaleOrder& order);
  void resize(Truth& truth, const cluster::ScaleOrder& order);
  void add_replica(Truth& truth);
  cluster::Replica& at(const RevisionId& revision, const PodName& pod);
  void publish(const RevisionId& revision);

  const sys::Clock& clock_;
  cluster::ListPublisher publisher_;
  std::map<RevisionId, Truth> truth_;
  std::map<RevisionId, cluster::Report> reports_;
  std::map<RevisionId, cluster::PathOrder> path_orders_;
  std::vector<Order> orders_;
  bool is_ready_ = true;
  std::optional<TimePoint> unreachable_since_;
  bool holds_pending_ = false;
  bool holds_draining_ = false;
  bool holds_lists_ = false;
  ErrorKind refusal_ = ErrorKind::kConflict;
  int refusals_left_ = 0;
  std::uint16_t next_port_ = 40001;
};

}  // namespace bellows::test
