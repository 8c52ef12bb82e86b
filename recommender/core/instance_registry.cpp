#include "recommender/core/instance_registry.hpp"

#include <algorithm>

namespace bellows::recommender {

InstanceRegistry::Added InstanceRegistry::add(const PodName& replica,
                                              const ContainerName& container, WallTime now) {
  Added added;
  const auto known = find(container);
  const std::uint32_t index = known ? *known : add_container(container);
  added.is_new_container = !known;
  std::vector<InstanceId>& of_replica = by_replica_[replica];
  for (const InstanceId instance : of_replica) {
    if (at(instance).container == index) return {instance, false, false};
  }
  added.is_new_instance = true;
  if (free_.empty()) {
    added.instance = {static_cast<std::uint32_t>(instances_.size())};
    instances_.emplace_back();
  } else {
    added.instance = {free_.back()};
    free_.pop_back();
  }
  at(added.instance) = {replica, index, true, {}, now};
  of_replica.push_back(added.instance);
  containers_[index].instances.push_back(added.instance);
  return added;
}

std::uint32_t InstanceRegistry::add_container(const ContainerName& container) {
  const auto [place, is_new] =
      by_name_.emplace(container, static_cast<std::uint32_t>(containers_.size()));
  if (is_new) containers_.push_back({container, {}});
  return place->second;
}

void InstanceRegistry::remove(InstanceId instance) {
  Instance& gone = at(instance);
  std::erase(containers_[gone.container].instances, instance);
  const auto of_replica = by_replica_.find(gone.replica);
  std::erase(of_replica->second, instance);
  if (of_replica->second.empty()) by_replica_.erase(of_replica);
  gone = {};
  free_.push_back(instance.index);
}

std::optional<std::uint32_t> InstanceRegistry::find(const ContainerName& container) const {
  const auto found = by_name_.find(container);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::string InstanceRegistry::label(InstanceId instance) const {
  const Instance& named = at(instance);
  const std::string& container = containers_[named.container].name.text();
  return named.replica.empty() ? container : named.replica.text() + "/" + container;
}

}  // namespace bellows::recommender
