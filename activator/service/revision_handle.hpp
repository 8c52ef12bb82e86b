// One revision in service: its throttler, connected to stats, triggers, probes and the timer.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activator/core/reachability.hpp"
#include "activator/core/revision_throttler.hpp"
#include "activator/core/served.hpp"
#include "activator/service/instruments.hpp"
#include "activator/service/page_files.hpp"
#include "activator/service/queue_stats.hpp"
#include "activator/service/replica_prober.hpp"
#include "activator/service/scale_from_zero_notifier.hpp"
#include "activator/service/start_prober.hpp"
#include "activator/service/uncounted_requests.hpp"
#include "activator/service/worker_lock.hpp"
#include "base/lifetime.hpp"
#include "cluster/core/revision.hpp"
#include "config/static_answers.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/probe_rules.hpp"
#include "proxy/core/relay_deadlines.hpp"

namespace bellows::activator {

/// What all handles of an activator share. Outlives them.
struct RevisionDependencies {
  http::Reactor& reactor;
  QueueStats& stats;
  ScaleFromZeroNotifier& notifier;
  ReplicaProber& prober;
  Random& random;
  metrics::prometheus::Registry& registry;
  ActivatorShare share;  ///< unless the path of a revision names its activators
  PodName self;          ///< its name among them
  StartProber* starts;   ///< null: the cluster tells at once who takes requests
  WorkerLock& lock;
  PageFiles& pages;
};

/// What the settings of a revision say about its callers, as it is applied to each request.
struct CallerRules {
  proxy::ProbeRules probes = {};  ///< which requests are probes: they trigger no scale-up
  std::vector<config::StaticAnswer> static_answers = {};  ///< paths answered without a replica
  std::string client_cookie = {};  ///< by which its clients come back; empty: none is set
  std::shared_ptr<const PageFile> own_page = {};  ///< nullptr: the built-in one is shown
  bool has_meanwhile = false;  ///< a request does not just wait while no replica is ready
};

/// How a granted request has ended at its replica.
struct GrantEnd {
  PodOutcome outcome = PodOutcome::kUnknown;
  FailureReason why = FailureReason::kOther;  ///< if the replica has failed
  bool has_app_responded = false;             ///< with a head that is not recorded yet
};

/// What the settings of a revision say about requests on their way to a replica. Thread: set at
/// home, read by any worker without the lock; during a change some may be new and others old.
class ForwardSettings {
 public:
  void set(const config::RevisionSettings& settings) {
    total_.store(settings.request_timeout, std::memory_order_relaxed);
    response_start_.store(settings.response_start_timeout, std::memory_order_relaxed);
    idle_.store(settings.idle_timeout, std::memory_order_relaxed);
    queue_time_header_.store(settings.queue_time_header, std::memory_order_relaxed);
  }
  proxy::TimeLimits limits() const {
    return {.total = total_.load(std::memory_order_relaxed),
            .response_start = response_start_.load(std::memory_order_relaxed),
            .idle = idle_.load(std::memory_order_relaxed)};
  }
  config::QueueTimeHeader queue_time_header() const {
    return queue_time_header_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<Duration> total_{Duration::zero()};
  std::atomic<Duration> response_start_{Duration::zero()};
  std::atomic<Duration> idle_{Duration::zero()};
  std::atomic<config::QueueTimeHeader> queue_time_header_{};
};

/// Calls the throttler, and after each call updates the queue stats, sends a due scale-from-zero
/// trigger and due probes, and sets the timer for the next tick. Owner: the RevisionRouter. It
/// stays until its last request has ended. Thread: the io thread is its home. Functions for
/// requests are for the workers too, as they say: they take the lock, and what has to follow is
/// done at home soon after.
class RevisionHandle final : private http::Timer {
 public:
  RevisionHandle(RevisionDependencies& dependencies, const cluster::RevisionPtr& revision);

  // By any worker, without the lock:
  HoldState requeue(HeldRequest& request, std::size_t bytes, TimePoint now);
  void cancel(HeldRequest& request, TimePoint now);
  void record_response(const HeldRequest& request, const LoadReport& report, TimePoint now);
  void release(HeldRequest& request, const GrantEnd& grant, TimePoint now);
  /// Releases the slot of a request that had `grant`, or cancels one that still waits or runs;
  /// counts its end, and drops its pin. This may be destroyed after it. `status`: sent to the
  /// caller; nullopt: the request is counted elsewhere.
  void end(HeldRequest& request, const std::optional<GrantEnd>& grant, const RequestEnd& end,
           std::optional<int> status, TimePoint now);
  /// After a pin() that no request has taken over.
  void unpin();
  /// Replicas that the cluster lists as ready.
  std::size_t ready() const;
  int retry_after_seconds(TimePoint now) const;
  Duration max_wait() const;
  /// How long a request waits before another service gets it.
  Duration fallback_after() const;
  /// The page for a browser; empty: there is none.
  std::string waiting_page(bool is_failing) const;
  void count_held(Duration waited);
  void count_retried(FailureReason why);
  void count_cold_start(const ColdStart& start);

  const ForwardSettings& forward_settings() const { return forward_settings_; }

  // By any worker, with the lock held while the result is used:
  /// The caller's `hold` may be released by it.
  HoldState enqueue(HeldRequest& request, std::size_t bytes, TimePoint now, WorkerLock::Hold& hold);
  /// Made by the first request, or by the first ready replica: most of thousands of services have
  /// neither.
  RevisionThrottler& throttler() const;
  /// Requests that wait, and that are at a replica.
  std::int64_t waiting() const { return throttler_ ? throttler_->waiting() : 0; }
  std::int64_t in_flight() const { return throttler_ ? throttler_->in_flight() : 0; }
  const CallerRules& rules() const { return rules_; }
  /// False: the replica has left.
  bool has_replica(const PodName& name) { return throttler_ && throttler_->has_replica(name); }
  /// Counts the requests that have a reference to this handle, until end(). A request that was just
  /// rejected is one of them although it is no longer in the throttler.
  void pin() { ++pending_; }

  WorkerLock& lock() const { return dependencies_.lock; }
  /// Does not change.
  const RevisionId& revision() const { return revision_; }

  // At home, without the lock:
  /// Takes over what the cluster lists now. Replicas that did not change cost nothing.
  void update(const cluster::RevisionPtr& revision);
  /// A starting replica has answered a probe: it takes requests before the cluster calls it ready.
  void replica_found(const StartingReplica& replica);
  void close(Error error);
  bool has_pending_requests() const;
  /// What became of its requests so far. Requests that take longer than `slow` count as slow from
  /// now on.
  Served served(Duration slow);
  /// Updates the series, if the revision ever had a request.
  void refresh_gauges();

 private:
  /// What the last calls of the throttler have made due.
  struct Due {
    std::int64_t waiting = 0;
    std::optional<Duration> triggered_for = {};  // since the first trigger, if one is due
    std::size_t ready = 0;
    std::size_t ejected = 0;
    std::vector<DueProbe> probes = {};
    std::optional<TimePoint> next_tick = {};
  };

  void on_expiry() override;
  std::optional<PodName> release_slot(HeldRequest& request, const GrantEnd& grant, TimePoint now);
  void note_ejected(const PodName& replica, FailureReason why);
  void after_change(WorkerLock::Hold& hold, TimePoint now);
  void follow_up_at_home();
  void follow_up(TimePoint now);
  Due take_due(TimePoint now);
  void apply(const RevisionView& view, TimePoint now);
  CallerRules rules_of(const cluster::Revision& revision) const;
  template <class Count>
  void count_away(Count count);
  RevisionInstruments& instruments();
  void count_uncounted();
  void on_probe_ended(const PodName& replica, ProbeResult result);
  void note_reachability(const PodName& replica, ProbeResult result, TimePoint now);
  RevisionView view_since(const cluster::Revision* before, const cluster::Revision& now) const;
  ReplicaView view_of(const cluster::Replica& replica) const;
  bool takes_requests(const cluster::Replica* replica) const;
  ActivatorShare share_of(const cluster::Path& path) const;
  void forget_found();
  void probe_starts(std::int64_t waiting);
  void tell_reachability(std::size_t ready, TimePoint now);

  RevisionDependencies& dependencies_;
  const RevisionId revision_;
  ForwardSettings forward_settings_;
  mutable std::unique_ptr<RevisionThrottler> throttler_;  // see throttler()
  CallerRules rules_;
  std::unique_ptr<RevisionInstruments> instruments_;  // nullptr: no request yet; used at home
  UncountedRequests uncounted_;                       // by other workers, for instruments_
  Served served_;
  std::int64_t pending_ = 0;
  // Shared with the cluster's list; nullptr: closed. Changed at home with the lock held.
  cluster::RevisionPtr applied_;
  /// A starting replica that has answered, as it was listed then.
  struct Found {
    Endpoint address;
    int restarts = 0;
    TimePoint at{};
  };
  std::map<PodName, Found> found_;
  Reachability reachability_;
  std::uint64_t told_unreachable_ = 0;  // replicas, as the stats say
  bool probes_starts_ = false;          // a request waits, so starting replicas are probed
  bool has_new_starts_ = false;         // the list has changed since they were given to the prober
  bool is_quiet_ = true;                // RevisionThrottler::is_quiet() after the last change
  bool is_follow_up_posted_ = false;    // by another worker
  Lifetime lifetime_;                   // for probes in flight and posted calls
};

}  // namespace bellows::activator
