// Which starting replicas are asked whether they take requests yet, and when.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// A cluster reports readiness late: 0.6 to 1.0 s after a probe of the address succeeds on a node
/// of Kubernetes with a readiness probe each second, up to 10 s with its default.
inline constexpr Duration kStartProbeInterval = std::chrono::milliseconds(25);
/// In one interval: 2,000 a second take a tenth of a core. Beyond that the replicas take turns.
inline constexpr std::size_t kStartProbesPerInterval = 50;
/// Of one replica, so that one lost packet delays nothing: the next probe goes out all the same.
inline constexpr std::size_t kStartProbesOfReplica = 16;
/// Of one revision.
inline constexpr std::size_t kProbedStarts = 10;
/// Of one probe. As long as kStartProbesOfReplica intervals.
inline constexpr Duration kStartProbeTimeout = std::chrono::milliseconds(400);

/// A replica that is starting and has an address.
struct StartingReplica {
  PodName name;
  Endpoint address;

  bool operator==(const StartingReplica&) const = default;
};

struct StartProbe {
  RevisionId revision;
  StartingReplica replica;
};

/// Pure. Owner: the StartProber.
class StartProbes {
 public:
  /// From now on these replicas of `revision` are probed, at most kProbedStarts of them. Empty:
  /// none; nobody waits for them any more.
  void set(const RevisionId& revision, const std::vector<StartingReplica>& replicas);

  /// The probes of this interval. Each ends with end().
  std::vector<StartProbe> take_due();

  /// Returns true if the replica takes requests since this probe: it is not probed any more. A
  /// probe of a replica that is not probed any more, or had another address, says nothing.
  bool end(const StartProbe& probe, bool has_succeeded);

  bool empty() const { return probed_.empty(); }

 private:
  using Key = std::pair<RevisionId, PodName>;
  struct Probed {
    Endpoint address;
    std::size_t in_flight = 0;
  };

  std::map<Key, Probed> probed_;
  Key last_;  // the last one that had its turn
};

}  // namespace bellows::activator
