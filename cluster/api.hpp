// The interface to whatever runs replicas: child processes (cluster/local), Kubernetes. It promises
// only what all of them can keep: lists may be stale, writes may conflict or be rejected, replicas
// may stay pending. The data is in cluster/core. tests/support/fake_cluster.hpp does all of that on
// purpose; tests/integration/cluster/cluster_contract.hpp runs against every implementation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "cluster/core/orders.hpp"
#include "cluster/core/path.hpp"
#include "cluster/core/report.hpp"
#include "cluster/core/revision.hpp"
#include "cluster/core/revision_list.hpp"
#include "cluster/sender_tokens.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// Ends the subscription when destroyed.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Thread: the io thread. Callbacks run on it too, but never from inside a call.
class Cluster {
 public:
  using OnChange = std::function<void(const Changes&)>;

  virtual ~Cluster() = default;

  /// Returns the current list, which may be stale; it is empty before the first list arrives (see
  /// ready()). It is the same object for the lifetime of the cluster and changes between two turns
  /// of the io thread: keep a RevisionPtr, or a copy of the list, across a wait.
  virtual const RevisionList& revisions() const = 0;

  /// Returns true once the first list has arrived. Subscribers are notified of that list even if it
  /// is empty.
  virtual bool ready() const = 0;

  /// Returns when the cluster was lost; the list is not updated since then. nullopt: it is
  /// reachable.
  virtual std::optional<TimePoint> unreachable_since() const = 0;

  /// Calls `on_change` after the list has changed; one call may cover several changes. A subscriber
  /// that has read the list meanwhile may be notified of what it has seen already: an id says where
  /// to look, the list says what is there.
  virtual std::unique_ptr<Subscription> subscribe(OnChange on_change) = 0;

  /// Returns success once the order is accepted; it may not be carried out yet. kNotFound: no such
  /// revision; kGone: it is retired; kConflict: it changed meanwhile, retry with a new list;
  /// kUnavailable, kTimeout: the cluster cannot be reached. A paused revision accepts orders too: a
  /// pause only asks the autoscaler to send none.
  virtual http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) = 0;

  /// Returns false while another program orders replicas: scale() would fail, and what would be
  /// ordered waits. The default: true.
  virtual bool takes_orders() const { return true; }

  /// Sets the state; errors as above. kRetired: takes the revision out of service; its replicas
  /// drain, later orders fail with kGone, until kActive brings it back. kGone: it is retired and
  /// kPaused is requested.
  virtual http::Awaitable<Result<void>> set_state(RevisionId revision, RevisionState state) = 0;

  /// Reports the last decision, for a cluster whose users ask the cluster instead of Bellows. The
  /// cluster keeps the newest report of a revision and decides when to write it; it ignores an
  /// unknown revision.
  virtual void report(RevisionId revision, Report report) = 0;

  /// Returns the activators, by name; the same object for the lifetime of the cluster. Empty, the
  /// default: callers can reach only the activator, and no path is ordered.
  virtual const std::vector<Activator>& activators() const;

  /// Returns true if each replica has a Replica::stat_secret, which it sends to the receiver of its
  /// stats (docs/formats/wire.md). The default: false.
  virtual bool has_stat_secrets() const { return false; }

  /// Returns what verifies the tokens of senders of stats, which it requires then. nullptr, the
  /// default: senders have no tokens.
  virtual SenderTokens* sender_tokens() const { return nullptr; }

  /// Orders a path. The newest order of a revision stays in force and is carried out in steps that
  /// never cut callers off; Revision::path has the progress. The default ignores it: the activator
  /// always holds the path.
  virtual void route(RevisionId revision, PathOrder order);
};

/// Returns "the cluster has not been reachable for 5m10s, its last list stays", for people; empty:
/// it is reachable.
std::string reachability_note(const Cluster& cluster, TimePoint now);

}  // namespace bellows::cluster
