// One request that is queued, granted a replica or rejected.
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

/// The permission to send one request to one replica, until RevisionThrottler::release().
struct Grant {
  PodTracker* pod = nullptr;
  /// State of the replica at that time. It is valid as long as the permission.
  const GrantedReplica* replica = nullptr;
  std::uint32_t acquired = 0;         ///< of PodTracker::acquire()
  std::int32_t expected_report = -1;  ///< of PodTracker::expected_report()
  TimePoint at{};                     ///< time of the grant
  std::int32_t load = 0;              ///< requests at the replica at that time, this one included
  proxy::SlotWait wait = proxy::SlotWait::kUnbounded;  ///< for a slot of the replica
  /// Start of the wait of the first request; set for the first request that gets a replica after
  /// the revision was at zero.
  std::optional<TimePoint> held_since{};

  bool is_new(TimePoint now) const { return now - at < kMaxReordering; }
  /// Returns true if a response with that report changes nothing known about the replica, so that
  /// it need not be recorded before the request ends.
  bool is_expected(const LoadReport& report, TimePoint now) const {
    return is_new(now) && report.in_flight.value_or(0) <= expected_report;
  }
};

/// State of a request. Each state lists the states that may follow.
enum class HoldState : std::uint8_t {
  kInactive,  ///< not enqueued yet, or over           -> kQueued, kGranted, kRejected
  kQueued,    ///< waits for a replica                 -> kGranted, kRejected, kInactive (cancelled)
  kGranted,   ///< has a slot, until it is released    -> kInactive
  kRejected,  ///< rejection() has the reason          -> (end)
};

/// One request. It must not move while it is queued. The throttler outlives it. Owner: the task
/// that handles the request.
class HeldRequest : public proxy::QueueEntry {
 public:
  HoldState state() const { return state_; }
  /// Returns the grant; valid in kGranted.
  const Grant& grant() const { return grant_; }
  /// Returns the rejection; valid in kRejected.
  const Error& rejection() const { return *rejection_; }
  /// Returns when it was first enqueued.
  TimePoint first_enqueued() const { return first_enqueued_; }
  /// Sets the replica that it prefers, if that can take it in its turn; empty: any. The request
  /// neither waits longer for that replica nor lets a later request pass. Call it before it is
  /// enqueued.
  void prefer(PodName replica) { preferred_replica_ = std::move(replica); }
  const PodName& preferred() const { return preferred_replica_; }

 protected:
  /// Called when the request leaves the queue: it is granted or rejected. The caller is a function
  /// of the throttler, so this may wake a waiter but must not call the throttler.
  virtual void on_settled() = 0;

 private:
  friend class HoldQueue;
  friend class RevisionThrottler;

  /// The second queue entry of a requeued request. The request itself is queued by its first
  /// arrival, this one by the time of its return, from which queue-age counts.
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
  std::unique_ptr<RequeueEntry> requeue_entry_;  // after it was requeued
  HoldState state_ = HoldState::kInactive;
  TimePoint first_enqueued_{};
  Grant grant_;
  PodName preferred_replica_;     // empty: none
  PodName unresponsive_replica_;  // replica that sent it no response; empty: none
  std::unique_ptr<const Error> rejection_;
};

}  // namespace bellows::activator
