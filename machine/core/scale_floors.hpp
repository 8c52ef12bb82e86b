// Replicas that a revision has at least while it takes over requests. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::machine {

/// Floors by revision. Owner: who configures the revisions.
class ScaleFloors {
 public:
  struct Ended {
    RevisionId service;
    RevisionId revision;
    bool operator==(const Ended&) const = default;
  };

  /// Until release() or drop(). It takes the place of an earlier one.
  void hold(const RevisionId& service, const RevisionId& revision, PodCount replicas);
  /// Gives the floor of a revision its end, unless it has one or there is no floor.
  void release(const RevisionId& revision, TimePoint until);
  void drop(const RevisionId& revision) { floors_.erase(revision); }

  /// 0: there is none.
  PodCount of(const RevisionId& revision) const;
  bool empty() const { return floors_.empty(); }

  /// Removes those whose end has come.
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
