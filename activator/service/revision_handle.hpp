// One revision in service: its throttler, connected to stats, triggers, probes and the timer.
#pragma once

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
#include "base/lifetime.hpp"
#include "cluster/core/revision.hpp"
#include "config/static_answers.hpp"
#include "http/io/reactor.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {

/// What all handles of an activator share. Outlives them.
struct RevisionDependencies {
  http::Reactor& reactor;
  QueueStats& stats;
  ScaleFromZeroNotifier& notifier;
  ReplicaProber& prober;
  Random& random;
  metrics::prometheus::Registry& registry;
  ActivatorShare share;           ///< unless the path of a revision names its activators
  PodName self;                   ///< its name among them
  StartProber* starts = nullptr;  ///< null: the cluster tells at once who takes requests
  PageFiles* pages = nullptr;     ///< null: there are no pages but the built-in one
};

/// Calls the throttler, and after each call updates the queue stats, sends a due scale-from-zero
/// trigger and due probes, and sets the timer for the next tick. Owner: the RevisionRouter. It
/// stays until its last request has ended. Thread: the io thread.
class RevisionHandle final : private http::Timer {
 public:
  RevisionHandle(RevisionDependencies& dependencies, const cluster::RevisionPtr& revision);

  HoldState enqueue(HeldRequest& request, std::size_t bytes, TimePoint now);
  HoldState requeue(HeldRequest& request, std::size_t bytes, TimePoint now);
  void cancel(HeldRequest& request, TimePoint now);
  void record_response(const HeldRequest& request, const LoadReport& report, TimePoint now);
  /// `why`: the reason, if the request failed.
  void release(HeldRequest& request, PodOutcome outcome, FailureReason why, TimePoint now);

  /// Takes over what the cluster lists now. Replicas that did not change cost nothing.
  void update(const cluster::RevisionPtr& revision);
  /// A starting replica has answered a probe: it takes requests before the cluster calls it ready.
  void replica_found(const StartingReplica& replica);
  void close(Error error);

  /// Counts the requests that have a reference to this handle. A request that was just rejected is
  /// one of them although it is no longer in the throttler.
  void add_pending_request() { ++pending_; }
  void remove_pending_request() { --pending_; }
  bool has_pending_requests() const { return pending_ > 0; }

  const RevisionThrottler& throttler() const { return throttler_; }
  /// Which requests are probes according to its settings. They trigger no scale-up.
  const proxy::ProbeRules& probes() const { return probes_; }
  /// Paths that are answered without a replica.
  const std::vector<config::StaticAnswer>& static_answers() const { return static_answers_; }
  /// The name of the cookie by which its clients come back; empty: none is set.
  const std::string& client_cookie() const { return client_cookie_; }
  /// False: the replica has left.
  bool has_replica(const PodName& name) { return throttler_.has_replica(name); }
  /// True if a request does not just wait while no replica is ready.
  bool has_meanwhile() const { return has_meanwhile_; }
  /// The page for a browser; empty: there is none.
  std::string waiting_page(bool is_failing) const;
  /// Created with the first request.
  RevisionInstruments& instruments();
  /// What became of its requests so far.
  Served& served() { return served_; }
  /// Updates the gauges, if the revision ever had a request.
  void refresh_gauges();

 private:
  void on_expiry() override;
  void after_change(TimePoint now);
  void read_caller_settings(const cluster::Revision& revision);
  void send_due_probes(TimePoint now);
  void on_probe_ended(const PodName& replica, ProbeResult result);
  void note_reachability(const PodName& replica, ProbeResult result, TimePoint now);
  RevisionView view_since(const cluster::Revision* before, const cluster::Revision& now) const;
  ReplicaView view_of(const cluster::Replica& replica) const;
  bool takes_requests(const cluster::Replica* replica) const;
  ActivatorShare share_of(const cluster::Path& path) const;
  void forget_found();
  void probe_starts();
  void tell_reachability(TimePoint now);

  RevisionDependencies& dependencies_;
  RevisionThrottler throttler_;
  proxy::ProbeRules probes_;
  std::vector<config::StaticAnswer> static_answers_;
  std::string client_cookie_;
  std::shared_ptr<const PageFile> own_page_;  // nullptr: the built-in one is shown
  bool has_meanwhile_ = false;
  std::unique_ptr<RevisionInstruments> instruments_;  // nullptr: it has had no request
  Served served_;
  std::int64_t pending_ = 0;
  cluster::RevisionPtr applied_;  // shared with the cluster's list; nullptr: closed
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
  Lifetime lifetime_;                   // for probes in flight
};

}  // namespace bellows::activator
