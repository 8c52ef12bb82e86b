// Wanted replicas, asked of the cluster.
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

/// At most one order per revision is under way; a newer one replaces the one that waits behind it.
/// What the cluster refuses for the moment (kConflict, kUnavailable, kTimeout and the like) is
/// asked again after 100 ms, doubled up to 5 s, unless a newer order comes first; an order for a
/// revision that is gone or unknown is dropped. Owner: the service. Thread: the io thread. Moved by
/// retry_due(); reads no clock but the given one.
class ScaleApplier {
 public:
  /// All outlive the applier; `tasks` is stopped before it goes.
  ScaleApplier(http::TaskGroup& tasks, cluster::Cluster& cluster, const sys::Clock& clock);

  /// True: `want` is what is `requested` now, as the (perhaps old) list says, and what was asked
  /// last, so there is nothing to order; what still waited is dropped. False: apply() an order.
  bool is_settled(const RevisionId& revision, PodCount requested, PodCount want);

  /// Asks for `order`, unless that is settled.
  void apply(const RevisionId& revision, PodCount requested, cluster::ScaleOrder order);

  /// Asks again what was refused and is due.
  void retry_due();

  /// The revision is not listed any more.
  void forget(const RevisionId& revision);

  /// What the cluster last said against an order; empty: nothing.
  std::string trouble(const RevisionId& revision) const;
  std::uint64_t refused() const { return refused_; }

 private:
  struct Order {
    PodCount from = 0;
    cluster::ScaleOrder order;
  };
  struct Lane {
    std::optional<Order> next;  // waits for the one under way, or for its time
    bool is_under_way = false;
    std::optional<PodCount> accepted;  // the last order that the cluster took
    Duration delay{};                  // before the next attempt; zero: it was not refused
    TimePoint not_before;
    std::string trouble;
  };

  void send(const RevisionId& revision, Lane& lane);
  http::Awaitable<void> carry(RevisionId revision, Order order);
  void settle(const RevisionId& revision, Order order, const Result<void>& result);
  void refuse(const RevisionId& revision, Lane& lane, Order order, const Error& error);

  http::TaskGroup& tasks_;
  cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  std::map<RevisionId, Lane> lanes_;  // of revisions that were ever ordered anything
  std::set<RevisionId> waiting_;      // refused, and asked again at their time
  std::uint64_t refused_ = 0;
};

}  // namespace bellows::autoscaler
