// Revisions and their replicas as a cluster lists them. They are immutable once listed, and shared
// by the readers of one version, and by all versions in which a replica did not change. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "cluster/core/path.hpp"
#include "config/reach.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// The phase of a replica. Each phase lists the phases that may follow.
enum class ReplicaPhase : std::uint8_t {
  kPending,   ///< ordered, no process or node yet
              ///< -> kStarting, kReady (both seen at once), kFailed, kDraining, kGone
  kStarting,  ///< its process runs, not ready yet  -> kReady, kFailed, kDraining, kGone
  kReady,     ///< takes requests  -> kStarting (app or queue-proxy restarted), kFailed, kDraining
  kFailed,    ///< crashed (restarts with backoff), or not ready in time
              ///< -> kStarting, kReady (late), kDraining, kGone
  kDraining,  ///< not ready any more, finishes the requests in flight -> kGone
  kGone,      ///< ended; no longer listed
};
std::string_view to_string(ReplicaPhase phase);

/// The present usage of a replica: on one machine app and queue-proxy together, on Kubernetes all
/// containers but the queue-proxy.
struct Usage {
  Millicores cpu;
  Bytes memory;
  bool operator==(const Usage&) const = default;
};

/// The times of the steps of a start, each set once it has happened, unless its time is unknown; of
/// the newest start if the app was restarted.
struct StartTimes {
  TimePoint ordered;
  std::optional<TimePoint> process_started;
  std::optional<TimePoint> ready;
  bool operator==(const StartTimes&) const = default;
};

struct Replica {
  PodName name = {};
  ReplicaPhase phase = ReplicaPhase::kPending;
  Endpoint address = {};  ///< at which its queue-proxy takes requests; empty until it listens
  StartTimes start = {};
  int restarts = 0;  ///< of the app, since ordered
  std::string failure_message =
      {};  ///< why it is not ready, one line with its name; empty: no failure
  /// The cause of the app's last restart, without the name: "the app exited with code 3".
  std::string restarted_because = {};
  /// "h2c" if its app gets HTTP/2, as configured or detected; empty: it gets HTTP/1.1, or unknown.
  std::string app_protocol = {};
  std::optional<Usage> usage = {};  ///< nullopt: unknown
  /// The secret by which its queue-proxy authenticates its stats (docs/formats/wire.md); empty:
  /// none. It is only for receivers of stats, and must not appear on pages or in logs.
  std::string stat_secret = {};
  std::string uid = {};  ///< of its pod on Kubernetes; empty elsewhere
  /// In effect: on Kubernetes what its pod requests; elsewhere empty if not sized by Bellows.
  ReplicaSize size = {};
  bool operator==(const Replica&) const = default;
};
/// Owners: every version of the revision in which the replica did not change.
using ReplicaPtr = std::shared_ptr<const Replica>;

/// The ordered state of a revision. Each state lists the states that may follow.
enum class RevisionState : std::uint8_t {
  kActive,   ///< scaled according to its load  -> kPaused, kRetired
  kPaused,   ///< serves with a fixed number of replicas  -> kActive, kRetired
  kRetired,  ///< out of service: its replicas drain, orders fail  -> kActive
};
std::string_view to_string(RevisionState state);

struct Revision {
  RevisionId id;  ///< "NAME" on one machine, "NAMESPACE/NAME" on Kubernetes
  config::Route route;
  config::RevisionSettings settings;
  /// Those that its running queue-proxies take, by their names of them; nullopt: they have all
  /// settings from their start.
  std::optional<config::SettingTexts> proxy_settings = {};
  PodCount requested = 0;  ///< the number that was last ordered from the cluster
  RevisionState state = RevisionState::kActive;
  /// Sorted by name; pending and draining ones too. The pointer of a replica changes if and only if
  /// the replica does, so comparing two versions reads only changed replicas.
  std::vector<ReplicaPtr> replicas;
  std::string failure_message;  ///< why no replica becomes ready, one line; empty: no failure
  std::string order_failure;  ///< why no replica can be ordered for long, one line; empty: one can
  std::string saved_state;    ///< Report::saved_state of an earlier autoscaler; empty: nothing
  Path path;                  ///< of its requests
  /// The service whose route the revision has; several revisions may share one. Empty: it is alone.
  RevisionId service = {};
  /// The weight among the revisions of that service, by which they share its requests. 0: it gets
  /// no new requests; those that it has are served.
  std::int32_t share = 100;
  /// Report::learned_target, by which activators fill replicas. nullopt: no learned target.
  std::optional<double> learned_target = {};

  /// Returns the service whose history and series it is part of; itself if it is alone.
  const RevisionId& service_id() const { return service.empty() ? id : service; }
  bool is_retired() const { return state == RevisionState::kRetired; }
  bool is_paused() const { return state == RevisionState::kPaused; }
  /// Returns nullptr if there is none. O(log replicas).
  const Replica* find(const PodName& name) const;
  PodCount count(ReplicaPhase phase) const;
  /// Compares by value; does not read replicas with the same pointer.
  bool operator==(const Revision& other) const;
};
/// Owners: the list that has it, and readers that keep it.
using RevisionPtr = std::shared_ptr<const Revision>;

/// Returns `replicas` for a new version of a revision: sorted by name, each with its pointer of
/// `before` if it did not change. `before`: the replicas of the previous version.
std::vector<ReplicaPtr> next_replicas(std::vector<Replica> replicas,
                                      const std::vector<ReplicaPtr>& before);

/// Either side is nullptr if that version does not list the replica.
struct ReplicaChange {
  const Replica* before = nullptr;
  const Replica* now = nullptr;
};

/// Returns the replicas whose pointer differs between two versions of a revision, by name, and
/// reads no other replica. The vectors own what the pointers refer to.
std::vector<ReplicaChange> changed_replicas(const std::vector<ReplicaPtr>& before,
                                            const std::vector<ReplicaPtr>& now);

}  // namespace bellows::cluster
