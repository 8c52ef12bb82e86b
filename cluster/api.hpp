// The interface to whatever runs replicas: child processes (cluster/local), Kubernetes. It promises
// only what all of them can: lists may be stale, writes may conflict or be rejected, replicas may
// stay pending. The data is in cluster/core. tests/support/fake_cluster.hpp does all of that on
// purpose; tests/integration/cluster/cluster_contract.hpp is run against every implementation.
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
#include "http/io/net.hpp"

namespace bellows::cluster {

/// Ends the subscription when destroyed.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Thread: the io thread. Callbacks run on it too, never from inside a call.
class Cluster {
 public:
  using OnChange = std::function<void(const Changes&)>;

  virtual ~Cluster() = default;

  /// The current list; may be stale. Empty before the first list arrives (see ready()). It is the
  /// same object for the lifetime of the cluster and changes between two turns of the io thread:
  /// keep a RevisionPtr, or a copy of the list, across a wait.
  virtual const RevisionList& revisions() const = 0;

  /// True once the first list has arrived. Subscribers are told of it even if it is empty.
  virtual bool ready() const = 0;

  /// When the cluster was lost: since then the list is not renewed. nullopt: it is reachable.
  virtual std::optional<TimePoint> unreachable_since() const = 0;

  /// `on_change` is called after the list has changed; several changes may come as one. A
  /// subscriber that has read the list meanwhile may be told of what it has seen already: an id
  /// says where to look, the list says what is there.
  virtual std::unique_ptr<Subscription> subscribe(OnChange on_change) = 0;

  /// Success means that the order is accepted, not that it is complete. kNotFound: no such
  /// revision; kGone: it is retired; kConflict: it changed meanwhile, retry with a new list;
  /// kUnavailable, kTimeout: the cluster cannot be reached. A paused revision takes orders too: to
  /// pause it is to ask the autoscaler for none.
  virtual http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) = 0;

  /// Errors as above. kRetired: takes the revision out of service for good; its replicas drain,
  /// later orders fail with kGone. kGone: it is retired and another state is asked for.
  virtual http::Awaitable<Result<void>> set_state(RevisionId revision, RevisionState state) = 0;

  /// Tells what was decided, for a cluster whose users ask the cluster instead of Bellows. It keeps
  /// the newest report of a revision and decides when to write it; an unknown revision is ignored.
  virtual void report(RevisionId revision, Report report) = 0;

  /// The activators, by name; the same object for the lifetime of the cluster. Empty, the default:
  /// callers can reach nothing but the activator, and no path is asked for.
  virtual const std::vector<Activator>& activators() const;

  /// True if each replica has a Replica::stat_secret, which it shows to the receiver of its stats
  /// (docs/formats/wire.md). The default: false.
  virtual bool has_stat_secrets() const { return false; }

  /// Asks for a path. The newest order of a revision stays in force and is carried out step by
  /// step, without a moment in which callers reach nobody; Revision::path tells how far it is. The
  /// default ignores it: the path is always held by the activator.
  virtual void route(RevisionId revision, PathOrder order);
};

/// "the cluster has not been reachable for 5m10s, its last list stays": for people. Empty: it is
/// reachable.
std::string reachability_note(const Cluster& cluster, TimePoint now);

}  // namespace bellows::cluster
