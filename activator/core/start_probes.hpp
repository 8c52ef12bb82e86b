// Selects the starting replicas to probe for acceptance of requests, and when.
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

/// Interval of probes. A cluster reports readiness late: 0.6 to 1.0 s after a probe of the address
/// succeeds on a node of Kubernetes with a readiness probe each second, up to 10 s with its
/// default.
inline constexpr Duration kStartProbeInterval = std::chrono::milliseconds(25);
/// Maximum number in one interval: 2,000 a second take a tenth of a core. Beyond that the replicas
/// are probed in turns.
inline constexpr std::size_t kStartProbesPerInterval = 50;
/// Maximum number of one replica. There are several, so that a lost packet delays nothing: the next
/// probe is sent without waiting for it.
inline constexpr std::size_t kStartProbesOfReplica = 16;
/// Maximum number of probed replicas of one revision.
inline constexpr std::size_t kProbedStarts = 10;
/// Timeout of one probe, which is as long as kStartProbesOfReplica intervals.
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
  /// Sets the replicas of `revision` to probe from now on, at most kProbedStarts of them. Empty:
  /// none, because no request waits for them any more.
  void set(const RevisionId& revision, const std::vector<StartingReplica>& replicas);

  /// Returns the probes of this interval. Each ends with end().
  std::vector<StartProbe> take_due();

  /// Ends a probe. Returns true if it shows that the replica accepts requests; the replica is not
  /// probed any more then. A probe of a replica that is not probed any more, or had another
  /// address, has no effect.
  bool end(const StartProbe& probe, bool has_succeeded);

  bool empty() const { return probed_.empty(); }

 private:
  using Key = std::pair<RevisionId, PodName>;
  struct Probed {
    Endpoint address;
    std::size_t in_flight = 0;
  };

  std::map<Key, Probed> probed_;
  Key last_;  // the last one probed in turn
};

}  // namespace bellows::activator
