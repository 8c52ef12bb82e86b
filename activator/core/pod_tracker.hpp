// One replica as one activator sees it: its slots, its load, and whether it is healthy.
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

/// What a replica is to the requests that were granted one of its slots. It does not change: when
/// the cluster tells something new of the replica, another one is made.
struct GrantedReplica {
  ReplicaView view;
  std::string title;  ///< "replica web-1": the culprit of its errors
};

/// Owner: the PodSet of its revision. It stays until its last request has ended, even if the
/// cluster no longer lists the replica.
class PodTracker {
 public:
  /// `slots`: requests it may run at once (container-concurrency); 0 = no limit.
  PodTracker(const ReplicaView& view, std::int32_t slots);

  /// As the cluster listed it last. Stays as long as a request that is in flight now.
  const GrantedReplica& granted() const { return known_.front(); }
  const ReplicaView& view() const { return granted().view; }
  const PodName& name() const { return view().name; }
  const Endpoint& address() const { return view().address; }
  /// Requests of this activator.
  std::int32_t in_flight() const { return in_flight_; }
  /// Requests of all callers, as far as the replica has reported them.
  std::int32_t load(TimePoint now) const { return in_flight_ + other_load_.at(now); }
  PodHealth health() const { return outliers_.health(); }
  bool is_listed() const { return is_listed_; }
  /// True if the cluster lists it and this activator uses it.
  bool is_usable() const { return is_listed_ && is_assigned_; }
  bool is_ejected() const { return is_usable() && !outliers_.is_healthy(); }
  /// Chosen before others with the same load.
  bool is_preferred() const { return is_preferred_; }

  /// True if a request may be sent there now.
  bool can_take(TimePoint now) const;
  /// When the reported load of other callers, if any, decays next.
  std::optional<TimePoint> report_decays_at(TimePoint now) const;

  /// Occupies a slot; only if can_take(). The number goes back with release(): a failure of a
  /// request that started before the replica was ejected is not news.
  std::uint32_t acquire(TimePoint now);
  /// Frees the slot. Returns true if the replica is ejected because of the outcome.
  bool release(PodOutcome outcome, std::uint32_t acquired, TimePoint now);

  /// Its app sent a response head.
  void record_response() { outliers_.record_response(); }
  /// After acquire(): a response within kMaxReordering that reports no more requests than these
  /// changes nothing that is known of the replica; -1: any response does.
  std::int32_t expected_report(bool uses_reported_load) const;
  /// The replica reports that it runs or holds `in_flight` requests of all callers, this
  /// activator's included.
  void record_reported_load(std::int32_t in_flight, TimePoint now) {
    other_load_.record_report(in_flight, in_flight_, now);
  }

  /// See OutlierDetector.
  std::optional<TimePoint> probe_at(bool eagerly) const;
  void begin_probe() { outliers_.begin_probe(); }
  bool end_probe(bool has_succeeded, TimePoint now);

  /// The cluster lists it. A replica that became ready again, or moved, is healthy again.
  void update(const ReplicaView& newest, std::int32_t slots);
  /// The cluster no longer lists it as ready: it takes no new request.
  void unlist() { is_listed_ = false; }
  /// Whether this activator uses it at all.
  void assign(bool is_assigned) { is_assigned_ = is_assigned; }
  void prefer(bool is_preferred) { is_preferred_ = is_preferred; }
  /// 0 = no limit. Requests in flight beyond it go on.
  void set_slots(std::int32_t slots) { slots_ = slots; }
  /// While excluded it takes no new request: another replica is picked.
  void set_excluded(bool is_excluded) { is_excluded_ = is_excluded; }

 private:
  void forget_earlier();

  std::forward_list<GrantedReplica> known_;  // the newest first; older ones while one is in flight
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
