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

/// Owner: the activator service. Thread: the io thread. Cluster and sink outlive it.
class Waker {
 public:
  /// `autoscaler_listens`: whether wakes reach somebody right now.
  Waker(http::net::io_context& io, cluster::Cluster& cluster, metrics::StatSink& sink,
        StatIdentity identity, std::function<bool()> autoscaler_listens);

  /// Says that `waiting` requests wait for `revision` and nothing is ready. While the autoscaler is
  /// away and no replica is ordered, one is ordered here, so that zero can be left without it; an
  /// order that fails is logged, and given again with the next wake.
  void wake(const RevisionId& revision, std::int64_t waiting);

  /// Gives up orders under way.
  http::Task<void> stop(TimePoint deadline);

 private:
  void order_one(const RevisionId& revision);
  http::Task<void> order(RevisionId revision);

  cluster::Cluster& cluster_;
  metrics::StatSink& sink_;
  StatIdentity identity_;
  std::function<bool()> autoscaler_listens_;
  std::unordered_set<RevisionId> under_way_;
  http::TaskGroup orders_;
};

}  // namespace bellows::activator
