#include "machine/core/scale_floors.hpp"

namespace bellows::machine {

void ScaleFloors::hold(const RevisionId& service, const RevisionId& revision, PodCount replicas) {
  floors_[revision] = {.service = service, .replicas = replicas};
}

void ScaleFloors::release(const RevisionId& revision, TimePoint until) {
  const auto floor = floors_.find(revision);
  if (floor != floors_.end() && !floor->second.until) floor->second.until = until;
}

PodCount ScaleFloors::of(const RevisionId& revision) const {
  const auto floor = floors_.find(revision);
  return floor == floors_.end() ? 0 : floor->second.replicas;
}

std::vector<ScaleFloors::Ended> ScaleFloors::take_ended(TimePoint now) {
  std::vector<Ended> ended;
  for (auto floor = floors_.begin(); floor != floors_.end();) {
    if (!floor->second.until || now < *floor->second.until) {
      ++floor;
      continue;
    }
    ended.push_back({.service = floor->second.service, .revision = floor->first});
    floor = floors_.erase(floor);
  }
  return ended;
}

}  // namespace bellows::machine
