// The seam to whatever runs replicas: child processes (cluster/local), another Bellows over a Unix
// socket (cluster/remote), Kubernetes. Shaped after what all of them can promise: lists that may be
// stale, writes that may conflict or be refused, replicas that may stay pending.
// tests/support/fake_cluster.hpp does all of that on purpose, and
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

/// A replica's life. Each state lists the states that may follow.
enum class ReplicaPhase : std::uint8_t {
  kPending,   ///< ordered, no process or node yet
              ///< -> kStarting, kReady (heard of both at once), kFailed, kDraining, kGone
  kStarting,  ///< its process runs, not ready yet  -> kReady, kFailed, kDraining, kGone
  kReady,     ///< takes requests  -> kStarting (app or queue-proxy restarted), kFailed, kDraining
  kFailed,    ///< crashed, tried again with growing delay, or not ready in time
              ///< -> kStarting, kReady (late), kDraining, kGone
  kDraining,  ///< leaving: unready, finishes what is in flight -> kGone
  kGone,      ///< ended; not listed any more
};
std::string_view to_string(ReplicaPhase phase);

/// What a replica uses right now (app and queue-proxy together).
struct Usage {
  Millicores cpu;
  Bytes memory;
  bool operator==(const Usage&) const = default;
};

/// The steps of a start, each once it has happened (of the newest start, if the app was restarted).
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
  int restarts = 0;          ///< of the app, since ordered
  std::string trouble = {};  ///< why it is not ready, one line naming it; empty: nothing is wrong
  std::optional<Usage> usage = {};  ///< nullopt: unknown
  ReplicaSize size = {};            ///< that is in effect; empty: it is not governed
  bool operator==(const Replica&) const = default;
};

struct Revision {
  RevisionId id;
  config::Route route;
  config::RevisionSettings settings;
  PodCount requested = 0;         ///< replicas the cluster was last asked for
  bool retired = false;           ///< serves nothing any more
  std::vector<Replica> replicas;  ///< by name; pending and draining ones too
  std::string trouble;            ///< why replicas do not come up, one line; empty: nothing

  const Replica* find(const PodName& name) const;
  PodCount count(ReplicaPhase phase) const;
  bool operator==(const Revision&) const = default;
};

/// Everything as it was at one moment. Immutable, shared by its readers, replaced as a whole.
struct Snapshot {
  std::uint64_t version = 0;  ///< grows with every change; within one implementation's life only
  std::vector<std::shared_ptr<const Revision>> revisions;  ///< by id

  const Revision* find(const RevisionId& id) const;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// An order to run `want` replicas. When that is fewer, the cluster drains those of `drain_first`
/// in that order (idle ones first), then the youngest; replicas that are not ready go before ready
/// ones.
struct ScaleOrder {
  PodCount want = 0;
  std::vector<PodName> drain_first;
  std::string reason;  ///< for the cluster's log, one line
};

/// Ends the subscription when destroyed.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Thread: the io thread. Callbacks come on it too, never from inside a call of ours.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Never null; may be older than the truth, never newer. Empty before the first list arrived (see
  /// ready()).
  virtual SnapshotPtr snapshot() const = 0;

  /// True once snapshot() has been filled from the real thing.
  virtual bool ready() const = 0;

  /// `changed` is called after each replacement of the snapshot.
  virtual std::unique_ptr<Subscription> subscribe(std::function<void()> changed) = 0;

  /// Success: the order is taken down, not carried out. kNotFound: no such revision; kGone: it is
  /// retired; kConflict: changed meanwhile, try again with a fresh snapshot; kUnavailable,
  /// kTimeout: the cluster cannot be reached.
  virtual http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) = 0;

  /// Takes the revision out of service for good: its replicas drain, later orders get kGone.
  virtual http::Awaitable<Result<void>> retire(RevisionId revision) = 0;
};

}  // namespace bellows::cluster
