// Decides which request of one revision waits, gets a replica or is rejected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "activator/core/fill_limit.hpp"
#include "activator/core/held_request.hpp"
#include "activator/core/hold_queue.hpp"
#include "activator/core/load_report.hpp"
#include "activator/core/pod_set.hpp"
#include "activator/core/revision_view.hpp"
#include "activator/core/scale_from_zero_schedule.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "config/shared_settings.hpp"
#include "proxy/core/drain_rate.hpp"

namespace bellows::activator {

/// Strict FIFO: a request gets a replica after every earlier one got or gave up its own, and only a
/// replica with a free slot (late binding). The slots of a replica are never exceeded, and no slot
/// known to be free stays free while a request waits. The queue is bounded by count, bytes and age
/// (queue-depth, queue-bytes, queue-age, and revision-timeout if that is shorter). A request costs
/// O(replicas) and allocates nothing unless it is rejected.
///
/// Without a hard limit the slots of a replica are those of FillLimit.
///
/// If the revision has a failure message and no ready replica, all requests are rejected with the
/// message (kUnavailable) instead of waiting for a replica that will not start. An ejected replica
/// gets no request until a probe of it succeeds; if no other replica is left, requests wait for
/// that within the bounds of the queue. It outlives its requests. Owner: a RevisionHandle. Pure.
class RevisionThrottler {
 public:
  /// `service`: the culprit of its errors. `random` must outlive it.
  RevisionThrottler(RevisionId service, Random& random);

  const RevisionId& service() const { return service_; }

  /// Asks for a replica. Afterwards request.state() is kGranted, kQueued, or kRejected with
  /// kOverloaded (a bound of the queue), kUnavailable (failure message), or the error of close().
  /// `bytes` is the memory that the request holds while it waits.
  HoldState enqueue(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// Requeues a request whose granted replica failed and was released. The request precedes all
  /// that have not had a replica yet, by first arrival, and is exempt from the bounds of count and
  /// bytes. Its queue-age counts from now, its revision-timeout from its first arrival. A replica
  /// that was unresponsive to it gets it again only if no other one can take it.
  HoldState requeue(HeldRequest& request, std::size_t bytes, TimePoint now);

  /// Cancels a request whose caller has disconnected: leaves the queue or releases the slot. It has
  /// no effect in other states.
  void cancel(HeldRequest& request, TimePoint now);

  /// Records that the replica of a granted request sent a response head, which may report its load
  /// or that its app failed.
  void record_response(const HeldRequest& request, const LoadReport& report, TimePoint now);

  /// Ends a granted request: the first queued request gets its slot. Returns true if the outcome
  /// ejects the replica. A replica that is unresponsive to the same request twice counts once. The
  /// last healthy replica is not ejected for being unresponsive, because no other one would serve
  /// instead.
  bool release(HeldRequest& request, PodOutcome outcome, TimePoint now);

  /// Applies the cluster's newest view. A revision that was closed serves again.
  void update(const RevisionView& view, TimePoint now);

  /// Closes a removed revision: all requests are rejected with `error` until the next update().
  /// Requests in flight end normally.
  void close(Error error);

  /// Returns the due probes. The caller reports each result with end_probe().
  std::vector<DueProbe> due_probes(TimePoint now);
  /// Returns true if the replica is healthy again because of the result.
  bool end_probe(const PodName& replica, bool has_succeeded, TimePoint now);

  /// Rejects expired requests, and grants those for which a decayed load report makes room. Call it
  /// at next_tick(), then due_probes().
  void tick(TimePoint now);
  /// Returns when to call tick() next; nullopt: not before the next call of another function. It
  /// may have passed: a request that is added behind others tries no replica, so what became due
  /// before it is still due.
  std::optional<TimePoint> next_tick() const;

  /// Returns true if a scale-from-zero trigger is due now. Call it after each function above.
  bool take_scale_from_zero_trigger(TimePoint now);
  /// Returns how long requests have waited since the first trigger.
  Duration triggered_for(TimePoint now) const { return scale_from_zero_.triggered_for(now); }

  std::int64_t waiting() const { return queue_.count(); }
  std::int64_t in_flight() const { return in_flight_; }
  std::size_t ready() const { return pods_.ready(); }
  std::size_t ejected() const { return pods_.ejected(); }
  /// Returns true if no request waits and no replica is ejected, so that nothing happens as time
  /// passes.
  bool is_quiet() const { return queue_.empty() && pods_.ejected() == 0; }
  /// Returns true if no request waits or is in flight.
  bool is_idle() const { return queue_.empty() && in_flight_ == 0; }
  /// Returns why every request is rejected now; nullopt if requests are accepted.
  std::optional<Error> rejection_reason() const;
  /// Returns the Retry-After of a rejected request.
  int retry_after_seconds(TimePoint now) const;
  const config::RevisionSettings& settings() const { return *settings_; }
  Pods pods() const { return pods_.pods(); }
  /// Returns true if the cluster lists a ready replica of that name.
  bool has_replica(const PodName& name) { return pods_.has(name); }

 private:
  friend class HeldRequest;
  bool reject_or_grant(HeldRequest& request, TimePoint now);
  void set_queued(HeldRequest& request, TimePoint now);
  PodTracker* pick_for(const HeldRequest& request, TimePoint now);
  bool try_grant(HeldRequest& request, TimePoint now);
  proxy::SlotWait wait_of(const HeldRequest& request) const;
  void grant(HeldRequest& request, PodTracker& pod, proxy::SlotWait wait, TimePoint now);
  void dispatch(TimePoint now);
  void fill_pods(TimePoint now);
  void reject_all(const Error& error);
  void forget_cold_start_if_queue_is_empty();
  bool probes_eagerly() const { return pods_.all_ejected() && !queue_.empty(); }
  Error expiry_error(const HeldRequest& request) const;
  Error requeue_expiry_error() const;

  RevisionId service_;
  config::SettingsPtr settings_;
  HoldQueue queue_;
  PodSet pods_;
  FillLimit fill_;
  TimePoint blocked_at_{};  // the last time at which no replica could take the first request
  std::int64_t in_flight_ = 0;
  std::string failure_message_;
  std::string order_failure_;  // RevisionView::order_failure
  std::string not_ready_;      // RevisionView::not_ready
  std::optional<Error> closed_;
  ScaleFromZeroSchedule scale_from_zero_;
  std::optional<TimePoint> held_since_;  // since when a request waits while no replica is ready
  proxy::DrainRate drain_rate_;
};

}  // namespace bellows::activator
