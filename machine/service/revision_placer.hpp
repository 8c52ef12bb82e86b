// Revisions of services in the cluster of a machine: listed, with what they get of the requests,
// and removed after their last one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "base/units.hpp"
#include "cluster/local/revision_host.hpp"
#include "config/service.hpp"
#include "machine/core/rollout.hpp"
#include "machine/core/scale_floors.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// What a RevisionPlacer asks of others.
struct PlacerWorld {
  /// True while a request of the revision waits or is in flight.
  std::function<bool(const RevisionId&)> has_requests;
  /// The size of the first replicas of a revision; empty: its first requests.
  std::function<ReplicaSize(const config::Service&)> size_of_first;
  /// Orders replicas at once: the autoscaler follows changed settings within 2 s.
  std::function<void(const RevisionId&, PodCount)> scale;
};

/// Owner: a Deployer. Thread: the io thread. It tells the host what a record says of a revision,
/// and keeps no records.
class RevisionPlacer {
 public:
  /// Both outlive it.
  RevisionPlacer(cluster::RevisionHost& host, const sys::Clock& clock, PlacerWorld world);
  RevisionPlacer(const RevisionPlacer&) = delete;
  RevisionPlacer& operator=(const RevisionPlacer&) = delete;

  bool is_listed(const RevisionId& id) const { return host_.revisions().find(id) != nullptr; }
  PodCount ready(const RevisionId& id) const;
  /// What a rollout sees of some revisions of a service.
  Seen seen(const RevisionId& service, const std::map<Number, PodCount>& revisions) const;
  std::vector<std::string> last_lines(const RevisionId& id) const { return host_.last_lines(id); }
  /// The next number from `from` on that no listed revision has: a service of this name that was
  /// removed may still serve its last requests.
  Number free_number(const RevisionId& service, Number from) const;

  /// Lists a revision as its record says.
  Result<void> list(const ServiceRecord& service, const RevisionRecord& revision);
  /// Starts `needed` replicas of a revision that is to take over requests, and holds that number.
  /// It gets no request yet: neither by share nor by tag. True: it was not listed before.
  Result<bool> prepare(const ServiceRecord& service, const RevisionRecord& revision,
                       PodCount needed);
  /// Takes a revision out of the list at once.
  void remove(const RevisionId& id);

  /// From now on a revision gets what its record says; its floor ends a stable window later.
  void serve(const ServiceRecord& service, const RevisionRecord& revision);
  /// Settings and routes of the revisions that something leads to.
  void update(const ServiceRecord& service);
  /// What has a tag is there, whatever its share; what has neither any more leaves.
  void follow_tags(const ServiceRecord& service);
  /// It gets no new request, and is removed after the last one.
  void leave(const RevisionId& service, const RevisionRecord& revision);
  /// The takeover of a revision has failed; configure() tells the host.
  void drop_floor(const RevisionId& id) { floors_.drop(id); }
  /// The settings of its record, with its floor.
  void configure(const ServiceRecord& service, const RevisionRecord& revision);

  /// Removes what has no request any more and ends floors. Call it often while has_work().
  void look(const Records& records);
  bool has_work() const { return !leaving_.empty() || !floors_.empty(); }

 private:
  void place(const ServiceRecord& service, const RevisionRecord& revision);

  cluster::RevisionHost& host_;
  const sys::Clock& clock_;
  const PlacerWorld world_;
  std::map<RevisionId, Leaving> leaving_;  // by revision
  ScaleFloors floors_;
};

}  // namespace bellows::machine
