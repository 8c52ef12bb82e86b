// Scales a revision up from zero: through the autoscaler, or without it.
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

/// An autoscaler that is connected but has ordered no replica for this time counts as disconnected:
/// its machine hangs, or its process is stopped. The connection itself times out only seconds
/// later.
inline constexpr Duration kAutoscalerTimeout = std::chrono::seconds(2);

/// Failures for one revision are logged at most once in this interval: callers that connect and
/// disconnect at once would fill the log.
inline constexpr Duration kLogInterval = std::chrono::minutes(1);

/// Owner: the ActivatorService. Thread: the io thread. Reactor, cluster and sink outlive it.
class ScaleFromZeroNotifier {
 public:
  /// `is_autoscaler_connected` returns true while triggers reach an autoscaler.
  ScaleFromZeroNotifier(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
                        StatIdentity identity, std::function<bool()> is_autoscaler_connected);

  /// Notifies the autoscaler that `waiting` requests wait for `revision` and no replica is ready,
  /// for `triggered_for` by now (zero: the first trigger). If no replica is ordered, and the
  /// autoscaler is disconnected or took longer than kAutoscalerTimeout, orders one itself, so that
  /// a revision can leave zero without the autoscaler. A failed order is repeated with the next
  /// trigger. The failure is logged once per cold start, and for one revision once per
  /// kLogInterval.
  void trigger(const RevisionId& revision, std::int64_t waiting, Duration triggered_for);

  /// Cancels the pending orders.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  /// A period in which orders for a revision fail.
  struct Outage {
    TimePoint logged_at{};
    bool is_logged_for_this_start = true;
  };

  void order_one(const RevisionId& revision, std::string why);
  bool take_log_permission(const RevisionId& revision);
  http::Awaitable<void> order(RevisionId revision, std::string why);

  http::Reactor& reactor_;
  cluster::Cluster& cluster_;
  metrics::StatSink& sink_;
  StatIdentity identity_;
  std::function<bool()> is_autoscaler_connected_;
  std::unordered_set<RevisionId> in_flight_;
  std::unordered_map<RevisionId, Outage> outages_;  // by revision, until an order succeeds
  http::TaskGroup orders_;
};

}  // namespace bellows::activator
