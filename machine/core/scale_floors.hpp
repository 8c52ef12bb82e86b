// Minimum numbers of replicas while revisions take over requests. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::machine {

/// Floors by revision. Owner: the caller that configures the revisions.
class ScaleFloors {
 public:
  struct Ended {
    RevisionId service;
    RevisionId revision;
    bool operator==(const Ended&) const = default;
  };

  /// Holds a floor until release() or drop(). It replaces an earlier one.
  void hold(const RevisionId& service, const RevisionId& revision, PodCount replicas);
  /// Sets when the floor of a revision ends, unless that is set already or there is no floor.
  void release(const RevisionId& revision, TimePoint until);
  void drop(const RevisionId& revision) { floors_.erase(revision); }

  /// Returns 0 if there is none.
  PodCount of(const RevisionId& revision) const;
  bool empty() const { return floors_.empty(); }

  /// Removes the floors that have ended.
  std::vector<Ended> take_ended(TimePoint now);

 private:
  struct Floor {
    RevisionId service;
    PodCount replicas = 0;
    std::optional<TimePoint> until = {};  // nullopt: until release()
  };

  std::map<RevisionId, Floor> floors_;
};

}  // namespace bellows::machine
