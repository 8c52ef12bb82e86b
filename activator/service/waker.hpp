// Gets a sleeping revision out of bed: through the autoscaler, or without it.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "activator/service/queue_stats.hpp"
#include "cluster/api.hpp"
#include "http/io/reactor.hpp"
#include "http/io/task_group.hpp"
#include "metrics/stat.hpp"

namespace bellows::activator {

/// An autoscaler that is connected and has ordered nothing for so long is as good as away: its
/// machine hangs, or it is stopped. Its connection is found dead seconds later only.
inline constexpr Duration kOrderAnyway = std::chrono::seconds(2);

/// Callers that come and leave at once, each of which is a waking, fill no log.
inline constexpr Duration kTellAgainAfter = std::chrono::minutes(1);

/// Owner: the activator service. Thread: the io thread. Reactor, cluster and sink outlive it.
class Waker {
 public:
  /// `autoscaler_listens`: whether wakes reach somebody right now.
  Waker(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
        StatIdentity identity, std::function<bool()> autoscaler_listens);

  /// Says that `waiting` requests wait for `revision` and nothing is ready, and that this has been
  /// said for `woken_for` (zero: a new waking). If no replica is ordered then, and the autoscaler
  /// is away or took longer than kOrderAnyway, one is ordered here, so that zero can be left
  /// without it. An order that fails is given again with the next wake; that is logged once per
  /// waking, and for one revision once in kTellAgainAfter.
  void wake(const RevisionId& revision, std::int64_t waiting, Duration woken_for);

  /// Gives up orders under way.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  struct Outage {
    TimePoint told{};
    bool is_of_this_waking = true;
  };

  void order_one(const RevisionId& revision, std::string why);
  bool is_to_be_told(const RevisionId& revision);
  http::Awaitable<void> order(RevisionId revision, std::string why);

  http::Reactor& reactor_;
  cluster::Cluster& cluster_;
  metrics::StatSink& sink_;
  StatIdentity identity_;
  std::function<bool()> autoscaler_listens_;
  std::unordered_set<RevisionId> under_way_;
  std::unordered_map<RevisionId, Outage> outages_;  // since an order for it was last taken
  http::TaskGroup orders_;
};

}  // namespace bellows::activator
