// One revision in service, as its requests use it: from any worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activator/core/meanwhile.hpp"
#include "activator/core/recent_requests.hpp"
#include "activator/core/revision_throttler.hpp"
#include "activator/core/served.hpp"
#include "activator/service/found_replicas.hpp"
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

/// The objects that all handles of an activator share. They outlive the handles.
struct RevisionDependencies {
  http::Reactor& reactor;
  QueueStats& stats;
  ScaleFromZeroNotifier& notifier;
  ReplicaProber& prober;
  Random& random;
  metrics::prometheus::Registry& registry;
  PodName self;         ///< its name among the activators of a path
  StartProber* starts;  ///< null: the cluster reports at once who takes requests
  WorkerLock& lock;
  PageFiles& pages;
};

/// The settings of a revision about its callers, in the form in which each request applies them.
struct CallerRules {
  proxy::ProbeRules probes = {};  ///< selects probes: they trigger no scale-up
  std::vector<config::StaticAnswer> static_answers = {};  ///< paths answered without a replica
  std::string client_cookie = {};  ///< by which its clients return; empty: none is set
  std::shared_ptr<const PageFile> own_page = {};  ///< nullptr: the built-in one is shown
  bool has_meanwhile = false;  ///< a request does more than wait while no replica is ready
};

/// The end of a granted request at its replica.
struct GrantEnd {
  PodOutcome outcome = PodOutcome::kUnknown;
  FailureReason why = FailureReason::kOther;  ///< if the replica has failed
  bool has_app_responded = false;             ///< with a head that is not recorded yet
};

/// The settings of a revision for requests on their way to a replica. Thread: set at home, read by
/// any worker without the lock; during a change some may be new and others old.
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

/// The work that became due by requests of a revision.
struct DueWork {
  std::int64_t waiting = 0;
  std::optional<Duration> triggered_for = {};  ///< since the first trigger, if one is due
  std::size_t ready = 0;
  std::size_t ejected = 0;
  std::vector<DueProbe> probes = {};
  std::optional<TimePoint> next_tick = {};
};

/// The present values of a revision, for its series.
struct RevisionGauges {
  std::int64_t in_flight = 0;
  std::int64_t waiting = 0;
  std::size_t ejected = 0;
  std::size_t ready = 0;
};

/// The work that a handle leaves to the home thread; called there.
class HomeDuties {
 public:
  virtual ~HomeDuties() = default;
  /// Does what take_due() returns.
  virtual void follow_up(TimePoint now) = 0;
  /// Returns the series of the revision, from its first request on.
  virtual RevisionInstruments& instruments() = 0;
};

/// Calls the throttler, and after each call updates the queue stats; the rest follows at home soon
/// after. Owner: a RevisionHome. It stays until its last request has ended.
class RevisionHandle {
 public:
  /// Both outlive it.
  RevisionHandle(RevisionDependencies& dependencies, const cluster::Revision& revision,
                 HomeDuties& home);
  RevisionHandle(const RevisionHandle&) = delete;
  RevisionHandle& operator=(const RevisionHandle&) = delete;

  // For any worker, without the lock:
  HoldState requeue(HeldRequest& request, std::size_t bytes, TimePoint now)
      BELLOWS_EXCLUDES(kWorkerData);
  void cancel(HeldRequest& request, TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  void record_response(const HeldRequest& request, const LoadReport& report, TimePoint now)
      BELLOWS_EXCLUDES(kWorkerData);
  void release(HeldRequest& request, const GrantEnd& grant, TimePoint now)
      BELLOWS_EXCLUDES(kWorkerData);
  /// Releases the slot of a request that had `grant`, or cancels one that still waits or runs;
  /// counts its end, and drops its pin. This may be destroyed after it. `status`: sent to the
  /// caller; nullopt: the request is counted elsewhere.
  void end(HeldRequest& request, const std::optional<GrantEnd>& grant, const RequestEnd& end,
           std::optional<int> status, TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  /// Drops a pin() that no request has taken over.
  void unpin() BELLOWS_EXCLUDES(kWorkerData);
  bool has_pending_requests() const BELLOWS_EXCLUDES(kWorkerData);
  /// Returns the number of replicas that the cluster lists as ready.
  std::size_t ready() const BELLOWS_EXCLUDES(kWorkerData);
  int retry_after_seconds(TimePoint now) const BELLOWS_EXCLUDES(kWorkerData);
  Duration max_wait() const BELLOWS_EXCLUDES(kWorkerData);
  /// Returns how long a request waits before another service gets it.
  Duration fallback_after() const BELLOWS_EXCLUDES(kWorkerData);
  /// Returns the page for a browser; empty: there is none.
  std::string waiting_page(bool is_failing) const BELLOWS_EXCLUDES(kWorkerData);
  /// Returns true if the file of its waiting-page was never readable.
  bool misses_page() const BELLOWS_EXCLUDES(kWorkerData);
  /// Returns the results of its requests so far. Requests that take longer than `slow` count as
  /// slow from now on.
  Served served(Duration slow) BELLOWS_EXCLUDES(kWorkerData);
  /// Adds its requests of the last minute.
  void add_recent(RecentSum& sum, TimePoint now) const BELLOWS_EXCLUDES(kWorkerData);
  void count_held(Duration waited) BELLOWS_EXCLUDES(kWorkerData);
  void count_retried(FailureReason why) BELLOWS_EXCLUDES(kWorkerData);
  void count_cold_start(const ColdStart& start) BELLOWS_EXCLUDES(kWorkerData);

  const ForwardSettings& forward_settings() const { return forward_settings_; }

  // For any worker, with the lock held while the result is used:
  /// Asks for a replica. Releases the caller's `hold`.
  HoldState enqueue(HeldRequest& request, std::size_t bytes, TimePoint now, WorkerLock::Hold& hold)
      BELLOWS_RELEASE(kWorkerData);
  /// Returns the throttler, which the first request, or the first ready replica, makes: most of
  /// thousands of services have neither.
  RevisionThrottler& throttler() const BELLOWS_REQUIRES(kWorkerData);
  /// Returns the requests that wait, and that are at a replica.
  std::int64_t waiting() const BELLOWS_REQUIRES_SHARED(kWorkerData) {
    return throttler_ ? throttler_->waiting() : 0;
  }
  std::int64_t in_flight() const BELLOWS_REQUIRES_SHARED(kWorkerData) {
    return throttler_ ? throttler_->in_flight() : 0;
  }
  const CallerRules& rules() const BELLOWS_REQUIRES(kWorkerData) { return rules_; }
  /// Returns false if the replica has left.
  bool has_replica(const PodName& name) BELLOWS_REQUIRES(kWorkerData) {
    return throttler_ && throttler_->has_replica(name);
  }
  /// Counts the requests that have a reference to this handle, until end(). A request that was just
  /// rejected is one of them although it is no longer in the throttler.
  void pin() BELLOWS_REQUIRES(kWorkerData) { ++pending_; }

  WorkerLock& lock() const { return dependencies_.lock; }
  /// Returns the same for its lifetime.
  const RevisionId& revision() const { return revision_; }
  /// Returns its service, as it was when the revision was first listed.
  const RevisionId& service() const { return service_; }

  // For its RevisionHome, without the lock:
  /// Applies the cluster's present list. `rules`: nullopt: as before. `has_ready`: a replica takes
  /// requests. Returns false if nothing needs it: it had neither a request nor a replica yet.
  bool list(const cluster::RevisionPtr& revision, std::optional<CallerRules> rules, bool has_ready)
      BELLOWS_EXCLUDES(kWorkerData);
  void apply(const RevisionView& view, TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  void tick(TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  void close(Error error, TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  /// Returns true if the replica takes requests again.
  bool end_probe(const PodName& replica, ProbeResult result, TimePoint now)
      BELLOWS_EXCLUDES(kWorkerData);
  bool are_all_ejected() const BELLOWS_EXCLUDES(kWorkerData);
  DueWork take_due(TimePoint now) BELLOWS_EXCLUDES(kWorkerData);
  /// Passes the counts of other workers to the instruments.
  void count_uncounted() BELLOWS_EXCLUDES(kWorkerData);
  RevisionGauges gauges() const BELLOWS_EXCLUDES(kWorkerData);

 private:
  std::optional<PodName> release_slot(HeldRequest& request, const GrantEnd& grant, TimePoint now)
      BELLOWS_REQUIRES(kWorkerData);
  void note_ejected(const PodName& replica, FailureReason why) BELLOWS_EXCLUDES(kWorkerData);
  bool note_change(TimePoint now) BELLOWS_REQUIRES(kWorkerData);
  void after_change(WorkerLock::Hold& hold, TimePoint now)
      BELLOWS_RELEASE(kWorkerData) BELLOWS_UNCHECKED_LOCKING;
  void follow_up_at_home() BELLOWS_REQUIRES(kWorkerData);
  template <class Count>
  void count_away(Count count) BELLOWS_EXCLUDES(kWorkerData);

  RevisionDependencies& dependencies_;
  const RevisionId revision_;
  const RevisionId service_;
  HomeDuties& home_;
  ForwardSettings forward_settings_;
  // See throttler().
  mutable std::unique_ptr<RevisionThrottler> throttler_ BELLOWS_GUARDED_BY(kWorkerData)
      BELLOWS_PT_GUARDED_BY(kWorkerData);
  CallerRules rules_ BELLOWS_GUARDED_BY(kWorkerData);
  // Counts of other workers, for the instruments.
  UncountedRequests uncounted_ BELLOWS_GUARDED_BY(kWorkerData);
  Served served_ BELLOWS_GUARDED_BY(kWorkerData);
  // nullptr before the first request.
  std::unique_ptr<RecentRequests> recent_ BELLOWS_GUARDED_BY(kWorkerData)
      BELLOWS_PT_GUARDED_BY(kWorkerData);
  std::int64_t pending_ BELLOWS_GUARDED_BY(kWorkerData) = 0;
  // Shared with the cluster's list; nullptr: closed.
  cluster::RevisionPtr listed_ BELLOWS_GUARDED_BY(kWorkerData);
  LastStart last_start_ BELLOWS_GUARDED_BY(kWorkerData);
  // RevisionThrottler::is_quiet() after the last change.
  bool is_quiet_ BELLOWS_GUARDED_BY(kWorkerData) = true;
  bool is_follow_up_posted_ BELLOWS_GUARDED_BY(kWorkerData) = false;  // by another worker
  Lifetime lifetime_;                                                 // for posted calls
};

}  // namespace bellows::activator
