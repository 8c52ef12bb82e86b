// Sends scale orders to the cluster.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/ids.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "http/io/task_group.hpp"

namespace bellows::autoscaler {

/// Sends at most one order per revision at a time; a newer one replaces the one that waits after
/// it. An order that the cluster rejects temporarily (kConflict, kUnavailable, kTimeout and the
/// like) is retried after 100 ms, doubled up to 2 s, unless a newer order replaces it. An order for
/// a removed or unknown revision is dropped. While the cluster takes no orders, the newest one of
/// each revision waits. Owner: the service. Thread: the io thread. retry_due()
/// drives it; it reads only the given clock.
class ScaleApplier {
 public:
  /// All outlive the applier; `tasks` is stopped before its destruction.
  ScaleApplier(http::TaskGroup& tasks, cluster::Cluster& cluster, const sys::Clock& clock);

  /// Returns true if `want` equals the number `requested` in the (possibly outdated) list and the
  /// last order, so no order is needed; it drops an order that still waits. False: apply() an
  /// order.
  bool is_settled(const RevisionId& revision, PodCount requested, PodCount want);

  /// Sends `order` unless is_settled().
  void apply(const RevisionId& revision, PodCount requested, cluster::ScaleOrder order);

  /// Drops a waiting order, for a revision whose number must not change. A sent order is not
  /// recalled.
  void drop(const RevisionId& revision);

  /// Retries rejected orders that are due.
  void retry_due();

  /// Deletes a revision that is no longer listed.
  void forget(const RevisionId& revision);

  /// Returns the cluster's last rejection of an order; empty: none.
  std::string trouble(const RevisionId& revision) const;
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Order {
    PodCount from = 0;
    cluster::ScaleOrder order;
  };
  struct OrderState {
    std::optional<Order> next;  // waits for the sent one or for its time
    bool is_under_way = false;
    std::optional<PodCount> accepted;  // the last order that the cluster accepted
    Duration delay{};                  // before the next attempt; zero: not rejected
    TimePoint not_before;
    std::string trouble;
  };

  void send(const RevisionId& revision, OrderState& state);
  http::Awaitable<void> send_and_wait(RevisionId revision, Order order);
  void settle(const RevisionId& revision, Order order, const Result<void>& result);
  void handle_rejection(const RevisionId& revision, OrderState& state, Order order,
                        const Error& error);

  http::TaskGroup& tasks_;
  cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  std::map<RevisionId, OrderState> states_;  // of revisions that ever had an order
  std::set<RevisionId> waiting_;             // rejected, to be retried at their time
  std::uint64_t rejected_ = 0;
};

}  // namespace bellows::autoscaler
