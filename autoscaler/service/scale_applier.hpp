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

/// At most one order per revision is under way; a newer one replaces the one that waits after it.
/// What the cluster rejects temporarily (kConflict, kUnavailable, kTimeout and the like) is retried
/// after 100 ms, doubled up to 2 s, unless a newer order comes first; an order for a revision that
/// is gone or unknown is dropped. Owner: the service. Thread: the io thread. retry_due() drives it;
/// it reads no clock but the given one.
class ScaleApplier {
 public:
  /// All outlive the applier; `tasks` is stopped before its destruction.
  ScaleApplier(http::TaskGroup& tasks, cluster::Cluster& cluster, const sys::Clock& clock);

  /// True if `want` equals the number that is `requested` now according to the (possibly outdated)
  /// list, and the last order, so there is nothing to send; an order that still waited is dropped.
  /// False: apply() an order.
  bool is_settled(const RevisionId& revision, PodCount requested, PodCount want);

  /// Sends `order` unless is_settled().
  void apply(const RevisionId& revision, PodCount requested, cluster::ScaleOrder order);

  /// Drops an order that waits; one that is under way is not recalled. For a revision whose number
  /// is not to be changed.
  void drop(const RevisionId& revision);

  /// Retries rejected orders that are due.
  void retry_due();

  /// The revision is not listed any more.
  void forget(const RevisionId& revision);

  /// The cluster's last rejection of an order; empty: none.
  std::string trouble(const RevisionId& revision) const;
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Order {
    PodCount from = 0;
    cluster::ScaleOrder order;
  };
  struct OrderState {
    std::optional<Order> next;  // waits for the one under way or for its time
    bool is_under_way = false;
    std::optional<PodCount> accepted;  // the last order that the cluster took
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
  std::map<RevisionId, OrderState> states_;  // of revisions that were ever ordered anything
  std::set<RevisionId> waiting_;             // rejected, to be retried at their time
  std::uint64_t rejected_ = 0;
};

}  // namespace bellows::autoscaler
