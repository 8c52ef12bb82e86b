// Lists revisions of services in the cluster of a machine, gives them their share of the requests,
// and removes them after their last one.
#pragma once

#include <functional>
#include <map>
#include <optional>
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

/// The functions that a RevisionPlacer needs from others.
struct PlacerWorld {
  /// Returns true while a request of the revision waits or is in flight.
  std::function<bool(const RevisionId&)> has_requests;
  /// Returns how many replicas the load of a revision needs, a fraction; nullopt: not known.
  std::function<std::optional<double>(const RevisionId&)> demand;
  /// Returns the size of the first replicas of a revision; empty: its first requests.
  std::function<ReplicaSize(const config::Service&)> size_of_first;
  /// Orders replicas at once, because the autoscaler needs up to 2 s to apply changed settings.
  std::function<void(const RevisionId&, PodCount)> scale;
};

/// Owner: a Deployer. Thread: the io thread. It configures the host by the records of revisions,
/// and keeps no records.
class RevisionPlacer {
 public:
  /// Both outlive it.
  RevisionPlacer(cluster::RevisionHost& host, const sys::Clock& clock, PlacerWorld world);
  RevisionPlacer(const RevisionPlacer&) = delete;
  RevisionPlacer& operator=(const RevisionPlacer&) = delete;

  bool is_listed(const RevisionId& id) const { return host_.revisions().find(id) != nullptr; }
  /// Returns true if the user has retired the revision (`bellows retire`), which is listed.
  bool is_retired(const RevisionId& id) const;
  /// Returns true if requests of the service get 410 Gone: all revisions with a share are retired.
  bool is_retired(const ServiceRecord& service) const;
  PodCount ready(const RevisionId& id) const;
  /// Returns how many replicas its load needs, a fraction; nullopt: not known.
  std::optional<double> demand(const RevisionId& id) const;
  /// Returns some revisions of a service as a rollout sees them.
  Seen seen(const RevisionId& service, const std::map<Number, PodCount>& revisions) const;
  std::vector<std::string> last_lines(const RevisionId& id) const { return host_.last_lines(id); }
  /// Returns the next number from `from` on that no listed revision has, because a removed service
  /// of this name may still serve its last requests.
  Number free_number(const RevisionId& service, Number from) const;

  /// Lists a revision by its record.
  Result<void> list(const ServiceRecord& service, const RevisionRecord& revision);
  /// Starts `needed` replicas of a revision that will take over requests, and holds that number.
  /// The revision gets no request yet, neither by share nor by tag. Returns true if it was not
  /// listed before.
  Result<bool> prepare(const ServiceRecord& service, const RevisionRecord& revision,
                       PodCount needed);
  /// Removes a revision from the list at once.
  void remove(const RevisionId& id);

  /// Gives a revision the requests of its record from now on; its floor ends a stable window later.
  void serve(const ServiceRecord& service, const RevisionRecord& revision);
  /// Updates the settings and routes of the reachable revisions.
  void update(const ServiceRecord& service);
  /// Lists every revision with a tag, whatever its share; a revision with neither leaves.
  void follow_tags(const ServiceRecord& service);
  /// Stops its new requests, and removes it after the last one.
  void leave(const RevisionId& service, const RevisionRecord& revision);
  /// Drops the floor of a revision whose takeover has failed; configure() notifies the host.
  void drop_floor(const RevisionId& id) { floors_.drop(id); }
  /// Applies the settings of its record, with its floor.
  void configure(const ServiceRecord& service, const RevisionRecord& revision);

  /// Removes revisions without requests and ends floors. Call it often while has_work().
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
