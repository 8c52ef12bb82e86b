// One request on its way to a replica: queued, granted or rejected.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "activator/core/load_report.hpp"
#include "activator/core/pod_tracker.hpp"
#include "base/result.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/request_queue.hpp"

namespace bellows::activator {

class HoldQueue;
class RevisionThrottler;

/// The right to send one request to one replica. Ends with RevisionThrottler::release().
struct Grant {
  PodTracker* pod = nullptr;
  /// What its replica was then. With the right it ends.
  const GrantedReplica* replica = nullptr;
  std::uint32_t acquired = 0;         ///< of PodTracker::acquire()
  std::int32_t expected_report = -1;  ///< of PodTracker::expected_report()
  TimePoint at{};                     ///< when it got the replica
  std::int32_t load = 0;              ///< requests at the replica then, this one included
  proxy::SlotWait wait = proxy::SlotWait::kUnbounded;  ///< for a slot of the replica
  /// Set for the first request that gets a replica after the revision was at zero: when the first
  /// request began to wait.
  std::optional<TimePoint> held_since{};

  bool is_new(TimePoint now) const { return now - at < kMaxReordering; }
  /// True if nothing that was known of the replica changes because of a response with that report:
  /// it need not be recorded before the request ends.
  bool is_expected(const LoadReport& report, TimePoint now) const {
    return is_new(now) && report.in_flight.value_or(0) <= expected_report;
  }
};

/// Where a request stands. Each state lists the states that may follow.
enum class HoldState : std::uint8_t {
  kInactive,  ///< not enqueued yet, or over           -> kQueued, kGranted, kRejected
  kQueued,    ///< waits for a replica                 -> kGranted, kRejected, kInactive (cancelled)
  kGranted,   ///< has a slot, until it is released    -> kInactive
  kRejected,  ///< rejection() has the reason          -> (end)
};

/// Owner: the task that handles the request. It does not move while it is queued. The throttler
/// outlives it.
class HeldRequest : public proxy::QueueEntry {
 public:
  HoldState state() const { return state_; }
  /// Of kGranted.
  const Grant& grant() const { return grant_; }
  /// Of kRejected.
  const Error& rejection() const { return *rejection_; }
  /// When it first asked for a replica.
  TimePoint first_enqueued() const { return first_enqueued_; }
  /// The replica that it goes to if that can take it when its turn comes; empty: any. A wish: it
  /// neither waits longer for it nor lets a later request pass. Before it is enqueued.
  void prefer(PodName replica) { preferred_replica_ = std::move(replica); }
  const PodName& preferred() const { return preferred_replica_; }

 protected:
  /// The request is no longer queued: it is granted or rejected. Called from inside a function of
  /// the throttler, so it may wake a waiter but must not call the throttler.
  virtual void on_settled() = 0;

 private:
  friend class HoldQueue;
  friend class RevisionThrottler;

  /// The second queue entry of a request that was requeued. The request itself is queued by its
  /// first arrival, this one by the time of its return, from which queue-age counts.
  class RequeueEntry final : public proxy::QueueEntry {
   public:
    explicit RequeueEntry(HeldRequest& request) : request_(request) {}

   private:
    void on_granted() override {}  // the request's own entry is granted
    void on_expired() override;

    HeldRequest& request_;
  };

  bool is_requeued() const { return requeue_entry_ && requeue_entry_->is_waiting(); }
  void on_granted() final;
  void on_expired() final;
  void reject(Error error);

  RevisionThrottler* throttler_ = nullptr;       // set while it is queued
  std::unique_ptr<RequeueEntry> requeue_entry_;  // once it was requeued
  HoldState state_ = HoldState::kInactive;
  TimePoint first_enqueued_{};
  Grant grant_;
  PodName preferred_replica_;     // empty: none
  PodName unresponsive_replica_;  // the replica that sent it no response; empty: none
  std::unique_ptr<const Error> rejection_;
};

}  // namespace bellows::activator
