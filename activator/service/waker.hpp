// Gets a sleeping revision out of bed: through the autoscaler, or without it.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "activator/service/queue_stats.hpp"
#include "cluster/api.hpp"
#include "http/io/task_group.hpp"
#include "metrics/stat.hpp"

namespace bellows::activator {

/// An autoscaler that is connected and has ordered nothing for so long is as good as away: its
/// machine hangs, or it is stopped. Its connection is found dead seconds later only.
inline constexpr Duration kOrderAnyway = std::chrono::seconds(2);

/// Owner: the activator service. Thread: the io thread. Cluster and sink outlive it.
class Waker {
 public:
  /// `autoscaler_listens`: whether wakes reach somebody right now.
  Waker(http::net::io_context& io, cluster::Cluster& cluster, metrics::StatSink& sink,
        StatIdentity identity, std::function<bool()> autoscaler_listens);

  /// Says that `waiting` requests wait for `revision` and nothing is ready, and that this has been
  /// said for `woken_for`. If no replica is ordered then, and the autoscaler is away or took longer
  /// than kOrderAnyway, one is ordered here, so that zero can be left without it. An order that
  /// fails is given again with the next wake; the first of an outage is logged.
  void wake(const RevisionId& revision, std::int64_t waiting, Duration woken_for);

  /// Gives up orders under way.
  http::Task<void> stop(TimePoint deadline);

 private:
  void order_one(const RevisionId& revision, std::string why);
  http::Task<void> order(RevisionId revision, std::string why);

  cluster::Cluster& cluster_;
  metrics::StatSink& sink_;
  StatIdentity identity_;
  std::function<bool()> autoscaler_listens_;
  std::unordered_set<RevisionId> under_way_;
  bool is_outage_told_ = false;  // since an order was last taken
  http::TaskGroup orders_;
};

}  // namespace bellows::activator
