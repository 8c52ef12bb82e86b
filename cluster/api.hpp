// The interface to whatever runs replicas: child processes (cluster/local), another Bellows over a
// Unix socket (cluster/remote), Kubernetes. It promises only what all of them can: snapshots may be
// stale, writes may conflict or be rejected, replicas may stay pending.
// tests/support/fake_cluster.hpp does all of that on purpose;
// tests/integration/cluster/cluster_contract.hpp is run against every implementation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/service.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// The phase of a replica. Each phase lists the phases that may follow.
enum class ReplicaPhase : std::uint8_t {
  kPending,   ///< ordered, no process or node yet
              ///< -> kStarting, kReady (both seen at once), kFailed, kDraining, kGone
  kStarting,  ///< its process runs, not ready yet  -> kReady, kFailed, kDraining, kGone
  kReady,     ///< takes requests  -> kStarting (app or queue-proxy restarted), kFailed, kDraining
  kFailed,    ///< crashed (restarts with backoff), or not ready in time
              ///< -> kStarting, kReady (late), kDraining, kGone
  kDraining,  ///< unready, finishes the requests in flight -> kGone
  kGone,      ///< ended; no longer listed
};
std::string_view to_string(ReplicaPhase phase);

/// What a replica uses right now (app and queue-proxy together).
struct Usage {
  Millicores cpu;
  Bytes memory;
  bool operator==(const Usage&) const = default;
};

/// The steps of a start, set once each has happened; of the newest start if the app was restarted.
struct StartTimes {
  TimePoint ordered;
  std::optional<TimePoint> process_started;
  std::optional<TimePoint> ready;
  bool operator==(const StartTimes&) const = default;
};

struct Replica {
  PodName name = {};
  ReplicaPhase phase = ReplicaPhase::kPending;
  Endpoint address = {};  ///< where its queue-proxy takes requests; empty until it listens
  StartTimes start = {};
  int restarts = 0;  ///< of the app, since ordered
  std::string failure_message =
      {};  ///< why it is not ready, one line with its name; empty: no failure
  std::optional<Usage> usage = {};  ///< nullopt: unknown
  ReplicaSize size = {};            ///< in effect; empty: not sized by Bellows
  bool operator==(const Replica&) const = default;
};

struct Revision {
  RevisionId id;
  config::Route route;
  config::RevisionSettings settings;
  PodCount requested = 0;         ///< replicas that the cluster was last asked for
  bool retired = false;           ///< out of service for good
  std::vector<Replica> replicas;  ///< by name; includes pending and draining ones
  std::string failure_message;    ///< why no replica becomes ready, one line; empty: no failure

  const Replica* find(const PodName& name) const;
  PodCount count(ReplicaPhase phase) const;
  bool operator==(const Revision&) const = default;
};

/// All revisions at one time. Immutable, shared by its readers, replaced as a whole.
struct Snapshot {
  std::uint64_t version = 0;  ///< grows with every change, within the lifetime of one Cluster
  std::vector<std::shared_ptr<const Revision>> revisions;  ///< by id

  const Revision* find(const RevisionId& id) const;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// An order to run `desired` replicas. To scale down, the cluster drains replicas that are not
/// ready first; among equals those of `drain_first` in that order, then the youngest.
struct ScaleOrder {
  PodCount desired = 0;
  std::vector<PodName> drain_first;
  std::string reason;  ///< for the cluster's log, one line
};

/// Ends the subscription when destroyed.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Thread: the io thread. Callbacks run on it too, never from inside a call.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Never null. May be stale. Empty before the first list arrives (see ready()).
  virtual SnapshotPtr snapshot() const = 0;

  /// True once the first list has arrived.
  virtual bool ready() const = 0;

  /// `changed` is called after the snapshot has been replaced.
  virtual std::unique_ptr<Subscription> subscribe(std::function<void()> changed) = 0;

  /// Success means that the order is accepted, not that it is complete. kNotFound: no such
  /// revision; kGone: it is retired; kConflict: it changed meanwhile, retry with a new snapshot;
  /// kUnavailable, kTimeout: the cluster cannot be reached.
  virtual http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) = 0;

  /// Takes the revision out of service for good: its replicas drain, later orders fail with kGone.
  virtual http::Awaitable<Result<void>> retire(RevisionId revision) = 0;
};

}  // namespace bellows::cluster
