// One request in the activator, from its arrival to its end: queued, granted, forwarded.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "activator/core/cold_start.hpp"
#include "activator/core/held_request.hpp"
#include "activator/service/revision_handle.hpp"
#include "activator/service/settled_requests.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::activator {

using ColdStartObserver = std::function<void(const ColdStart&)>;

/// One request. A task may be destroyed wherever it waits, so the destructor leaves the queue,
/// releases the slot and counts the request. Owner: the task that handles the request. Thread: that
/// of its worker; any worker may settle it.
class PendingRequest final : private HeldRequest, public proxy::ResponseHook {
 public:
  /// `settled`: of its worker; nullptr: there is one worker. It and `on_cold_start` outlive it. The
  /// handle stays as long as this.
  PendingRequest(RevisionHandle& handle, proxy::Exchange& exchange, SettledRequests* settled,
                 const ColdStartObserver& on_cold_start) BELLOWS_REQUIRES(kWorkerData);
  ~PendingRequest() override;
  PendingRequest(const PendingRequest&) = delete;
  PendingRequest& operator=(const PendingRequest&) = delete;

  /// Adds notes about the revision, the replica and a cold start to access log and span from now
  /// on.
  void keep_notes();

  RevisionHandle& handle() const { return handle_; }
  /// Returns the state that this task has seen last. It sees changes of a queued request by others
  /// when it is woken.
  HoldState state() const { return state_; }
  using HeldRequest::rejection;

  /// Asks for a replica. Releases `hold`, which is that of its constructor.
  void enqueue(WorkerLock::Hold& hold) BELLOWS_RELEASE(kWorkerData);
  /// Asks for another replica after the first has failed.
  void requeue();

  /// Delays a request that has failed with two replicas by 100 ms before its third and last one,
  /// because replicas that end together have ended by then.
  http::Task<void> wait_before_last_run();

  /// Returns when state() is no longer kQueued: kGranted, kRejected, or kInactive because the
  /// caller disconnected, its gRPC deadline has passed or the server stops. Adds the time to the
  /// exchange in any case.
  http::Task<void> wait();
  /// Does the same, but returns at `until` at the latest, and as soon as a replica is ready.
  http::Task<void> wait_for_first_replica(TimePoint until);
  /// Leaves the queue, because the request gets an answer other than that of a replica.
  void leave_queue();
  /// Leaves the queue for another revision, for which the request is counted.
  void hand_over();

  /// Forwards the request to the replica, in state kGranted. After an error the slot is released;
  /// otherwise it is released with the end of the request, which has ended then.
  http::Task<Result<void>> forward(proxy::UpstreamPool& pool);

  /// Returns true, after forward() has failed with an error that may be retried, if another replica
  /// may still take the request in its time. Failures of replicas are retried repeatedly; a lack in
  /// this program (sockets, a name server) is retried once only.
  bool may_try_again(const Error& error);

  /// Makes the reply, in state kRejected.
  proxy::LocalReply rejection_reply() const;

 private:
  void on_settled() override BELLOWS_REQUIRES(kWorkerData);
  void on_response_head(const http::ResponseHead& head, std::string& extra_lines) override;
  void forget_waiter() BELLOWS_EXCLUDES(kWorkerData);
  void note_state(HoldState state);
  HoldState look() BELLOWS_EXCLUDES(kWorkerData);
  void cancel() BELLOWS_EXCLUDES(kWorkerData);
  void read_cookie() BELLOWS_REQUIRES(kWorkerData);
  void add_cookie(std::string& extra_lines);
  void note_granted();
  const ReplicaView& replica() const { return grant().replica->view; }
  proxy::ForwardOptions forward_options();
  void release(const Result<void>& forwarded);
  bool reports_queue_time() const;
  void record(const LoadReport& report, TimePoint at);
  void report_cold_start();
  void note_parts(const ColdStart& start);
  TimePoint now() const { return exchange_.reactor().now(); }

  RevisionHandle& handle_;
  proxy::Exchange& exchange_;
  SettledRequests* const settled_;
  const ColdStartObserver& on_cold_start_;
  HoldState state_ = HoldState::kInactive;
  bool keeps_notes_ = false;
  bool was_held_ = false;
  bool is_handed_over_ = false;
  const bool has_client_cookie_;   // clients of the revision return by a cookie
  std::optional<int> own_status_;  // counted for canaries instead of the caller's; 0: none
  bool has_cookie_ = false;        // the request has the cookie of this revision
  bool is_https_ = false;          // with has_client_cookie_: Exchange::is_https()
  std::optional<TimePoint> first_failed_;
  TimePoint enqueued_{};  // when it was last enqueued
  FailureReason last_failure_ = FailureReason::kOther;
  bool has_response_ = false;                 // the response has begun
  bool has_unrecorded_response_ = false;      // of the app: its head was as expected
  std::optional<FailureReason> app_failure_;  // reported by the queue-proxy
  std::optional<TimePoint> held_since_;  // set for the first request after the revision was at zero
  TimePoint forwarded_{};
  /// State after the response of a replica was relayed; the slot is released with the end of the
  /// request.
  struct Ended {
    TimePoint at{};
    GrantEnd grant;
  };
  std::optional<Ended> ended_;
};

}  // namespace bellows::activator
