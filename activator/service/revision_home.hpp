// One revision in service, as its home thread keeps it: in step with the cluster's list, its
// series, its probes and its timer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "activator/core/reachability.hpp"
#include "activator/service/found_replicas.hpp"
#include "activator/service/instruments.hpp"
#include "activator/service/revision_handle.hpp"
#include "activator/service/start_prober.hpp"
#include "base/lifetime.hpp"
#include "cluster/core/revision.hpp"
#include "http/io/reactor.hpp"

namespace bellows::activator {

/// Sends a due scale-from-zero trigger and due probes, and sets the timer for the next tick. Owner:
/// the RevisionRouter; it stays until the last request of its handle has ended. Thread: the io
/// thread alone, without the lock.
class RevisionHome final : private HomeDuties, private http::Timer {
 public:
  RevisionHome(RevisionDependencies& dependencies, const cluster::RevisionPtr& revision);

  /// Returns the object that the requests of the revision use.
  RevisionHandle& handle() { return handle_; }
  const RevisionHandle& handle() const { return handle_; }

  /// Applies the cluster's present list. Unchanged replicas cost nothing.
  void update(const cluster::RevisionPtr& revision);
  /// Adds a starting replica that has answered a probe: it takes requests before the cluster lists
  /// it as ready.
  void replica_found(const StartingReplica& replica);
  void close(Error error);
  /// Updates the series, if the revision ever had a request.
  void refresh_gauges();

 private:
  void on_expiry() override;
  void follow_up(TimePoint now) override;
  RevisionInstruments& instruments() override;

  CallerRules rules_of(const cluster::Revision& revision) const;
  void on_probe_ended(const PodName& replica, ProbeResult result);
  void note_reachability(const PodName& replica, ProbeResult result, TimePoint now);
  void probe_starts(std::int64_t waiting);
  void tell_reachability(std::size_t ready, TimePoint now);

  RevisionDependencies& dependencies_;
  FoundReplicas found_;
  Reachability reachability_;
  std::unique_ptr<RevisionInstruments> instruments_;        // nullptr: no request yet
  std::optional<metrics::prometheus::Gauge> missing_page_;  // nullopt: it was never missing
  cluster::RevisionPtr listed_;         // shared with the cluster's list; nullptr: closed
  std::uint64_t told_unreachable_ = 0;  // replicas, as the stats report them
  bool probes_starts_ = false;          // a request waits, so starting replicas are probed
  bool has_new_starts_ = false;         // the list has changed since the prober got it
  RevisionHandle handle_;
  Lifetime lifetime_;  // for probes in flight
};

}  // namespace bellows::activator
