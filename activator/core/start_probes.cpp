#include "activator/core/start_probes.hpp"

#include <algorithm>

namespace bellows::activator {

void StartProbes::set(const RevisionId& revision, const std::vector<StartingReplica>& replicas) {
  const std::size_t count = std::min(replicas.size(), kProbedStarts);
  std::map<PodName, Endpoint> wanted;
  for (std::size_t i = 0; i < count; ++i) wanted[replicas[i].name] = replicas[i].address;
  auto place = probed_.lower_bound({revision, PodName()});
  while (place != probed_.end() && place->first.first == revision) {
    const auto still = wanted.find(place->first.second);
    if (still != wanted.end() && still->second == place->second.address) {
      wanted.erase(still);
      ++place;
    } else {
      place = probed_.erase(place);
    }
  }
  for (auto& [name, address] : wanted) probed_[{revision, name}] = {.address = address};
}

std::vector<StartProbe> StartProbes::take_due() {
  std::vector<StartProbe> due;
  auto place = probed_.upper_bound(last_);
  for (std::size_t seen = 0; seen < probed_.size() && due.size() < kStartProbesPerInterval;
       ++seen) {
    if (place == probed_.end()) place = probed_.begin();
    auto& [key, probed] = *place;
    last_ = key;
    ++place;
    if (probed.in_flight == kStartProbesOfReplica) continue;
    ++probed.in_flight;
    due.push_back(
        {.revision = key.first, .replica = {.name = key.second, .address = probed.address}});
  }
  return due;
}

bool StartProbes::end(const StartProbe& probe, bool has_succeeded) {
  const auto place = probed_.find({probe.revision, probe.replica.name});
  if (place == probed_.end() || place->second.address != probe.replica.address) return false;
  if (has_succeeded) {
    probed_.erase(place);
    return true;
  }
  if (place->second.in_flight > 0) --place->second.in_flight;
  return false;
}

}  // namespace bellows::activator
