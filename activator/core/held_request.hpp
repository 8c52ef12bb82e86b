// One request on its way to a replica: waiting, granted or refused.
#pragma once

#include <optional>

#include "activator/core/pod_tracker.hpp"
#include "base/result.hpp"
#include "proxy/core/waiting_line.hpp"

namespace bellows::activator {

class RevisionThrottler;

/// The right to send one request to one replica. Given back with RevisionThrottler::release().
struct Grant {
  PodTracker* pod = nullptr;
  std::uint32_t taken = 0;  ///< of PodTracker::take()
  /// Set for the first request that gets through after the revision slept: when the first one began
  /// to wait.
  std::optional<TimePoint> held_since{};
};

/// Where a request stands after a call of the throttler.
enum class HoldState : std::uint8_t {
  kOutside,  ///< not entered, or over              -> kWaiting, kGranted, kRefused
  kWaiting,  ///< in line                           -> kGranted, kRefused, kOutside (left)
  kGranted,  ///< has a slot, to be given back      -> kOutside
  kRefused,  ///< refusal() says why                -> (end)
};

/// Owner: the task that handles the request; it stays where it is while it waits. The throttler
/// outlives it.
class HeldRequest : public proxy::Ticket {
 public:
  HoldState state() const { return state_; }
  /// Of kGranted.
  const Grant& grant() const { return grant_; }
  /// Of kRefused.
  const Error& refusal() const { return *refusal_; }
  /// When it first asked for a replica.
  TimePoint entered() const { return entered_; }

 protected:
  /// It no longer waits: granted or refused. Comes from inside a call of the throttler: take note
  /// and wake somebody, no more.
  virtual void on_settled() = 0;

 private:
  friend class RevisionThrottler;

  /// The second place of a request that came again: the line it waits in is ordered by its first
  /// coming, its queue-age counts from here.
  class AgainTicket final : public proxy::Ticket {
   public:
    explicit AgainTicket(HeldRequest& request) : request_(request) {}

   private:
    void on_granted() override {}  // it is the other place that is granted
    void on_expired() override;

    HeldRequest& request_;
  };

  void on_granted() final;
  void on_expired() final;
  void refuse(Error error);

  RevisionThrottler* throttler_ = nullptr;  // while it waits
  proxy::WaitingLine* waits_in_ = nullptr;  // of the throttler, while it waits
  AgainTicket again_{*this};
  HoldState state_ = HoldState::kOutside;
  TimePoint entered_{};
  Grant grant_;
  PodName silent_at_;  // the replica that gave it no answer, if one did
  std::optional<Error> refusal_;
};

}  // namespace bellows::activator
