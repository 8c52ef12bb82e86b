// One replica from the view of one activator: its slots, its load, and its health.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>

#include "activator/core/other_load.hpp"
#include "activator/core/outlier_detector.hpp"
#include "activator/core/revision_view.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// The immutable description of a replica for requests that have one of its slots. When the cluster
/// reports a change of the replica, a new one is made.
struct GrantedReplica {
  ReplicaView view;
  std::string title;  ///< "replica web-1": the culprit of its errors
};

/// Stays until its last request has ended, even if the cluster no longer lists the replica. Owner:
/// the PodSet of its revision.
class PodTracker {
 public:
  /// `slots` is the number of concurrent requests, the hard limit; 0 = none.
  PodTracker(const ReplicaView& view, std::int32_t slots);

  /// Returns the latest description. It is valid as long as any request that is in flight now.
  const GrantedReplica& granted() const { return known_.front(); }
  const ReplicaView& view() const { return granted().view; }
  const PodName& name() const { return view().name; }
  const Endpoint& address() const { return view().address; }
  /// Returns the requests of this activator.
  std::int32_t in_flight() const { return in_flight_; }
  /// Returns the requests of all callers, as far as the replica has reported them.
  std::int32_t load(TimePoint now) const { return in_flight_ + other_load_.at(now); }
  PodHealth health() const { return outliers_.health(); }
  bool is_listed() const { return is_listed_; }
  /// Returns true if the cluster lists it and this activator uses it.
  bool is_usable() const { return is_listed_ && is_assigned_; }
  bool is_ejected() const { return is_usable() && !outliers_.is_healthy(); }
  /// Returns true if it is chosen before others with the same load.
  bool is_preferred() const { return is_preferred_; }

  /// Returns true if a request may be sent there now.
  bool can_take(TimePoint now) const;
  /// Returns true if a request may be sent there to wait for a slot: other callers are said to have
  /// all slots, and nothing from here is there whose response would tell when one is free.
  bool can_queue(TimePoint now) const;
  /// Returns when the reported load of other callers, if any, decays next.
  std::optional<TimePoint> report_decays_at(TimePoint now) const;

  /// Occupies a slot; requires can_take() or can_queue(). The returned number is passed to
  /// release(), because a failure of a request that started before the replica was ejected does not
  /// count again.
  std::uint32_t acquire(TimePoint now);
  /// Frees the slot. Returns true if the outcome ejects the replica.
  bool release(PodOutcome outcome, std::uint32_t acquired, TimePoint now);

  /// Records that its app sent a response head.
  void record_response() { outliers_.record_response(); }
  /// Returns, after acquire(), the number of requests up to which a response's report within
  /// kMaxReordering has no effect; -1: every response has one.
  std::int32_t expected_report(bool uses_reported_load) const;
  /// Records a report that the replica runs or holds `in_flight` requests of all callers, this
  /// activator's included.
  void record_reported_load(std::int32_t in_flight, TimePoint now) {
    other_load_.record_report(in_flight, in_flight_, now);
  }

  /// See OutlierDetector.
  std::optional<TimePoint> probe_at(bool eagerly) const;
  void begin_probe() { outliers_.begin_probe(); }
  bool end_probe(bool has_succeeded, TimePoint now);

  /// Updates it from the cluster's list. A replica that became ready again, or moved, is healthy
  /// again.
  void update(const ReplicaView& newest, std::int32_t slots);
  /// Stops new requests, because the cluster no longer lists it as ready.
  void unlist() { is_listed_ = false; }
  /// Sets whether this activator uses it.
  void assign(bool is_assigned) { is_assigned_ = is_assigned; }
  void prefer(bool is_preferred) { is_preferred_ = is_preferred; }
  /// Sets the slots; 0 = no limit. Requests in flight beyond it continue.
  void set_slots(std::int32_t slots) { slots_ = slots; }
  /// Excludes it: while excluded it takes no new request, and another replica is picked.
  void set_excluded(bool is_excluded) { is_excluded_ = is_excluded; }

 private:
  void forget_earlier();

  // Newest first; older ones stay while a request is in flight.
  std::forward_list<GrantedReplica> known_;
  std::int32_t slots_;
  std::int32_t in_flight_ = 0;
  bool is_listed_ = true;
  bool is_assigned_ = true;
  bool is_preferred_ = true;
  bool is_excluded_ = false;
  OutlierDetector outliers_;
  OtherLoad other_load_;
};

}  // namespace bellows::activator
