#include "recommender/core/roster.hpp"

#include <algorithm>

namespace bellows::recommender {

Roster::Entered Roster::enter(const PodName& replica, const ContainerName& container,
                              WallTime now) {
  Entered entered;
  const auto known = find(container);
  const std::uint32_t index = known ? *known : add_container(container);
  entered.is_new_container = !known;
  std::vector<InstanceId>& of_replica = by_replica_[replica];
  for (const InstanceId instance : of_replica) {
    if (at(instance).container == index) return {instance, false, false};
  }
  entered.is_new_instance = true;
  if (free_.empty()) {
    entered.instance = {static_cast<std::uint32_t>(instances_.size())};
    instances_.emplace_back();
  } else {
    entered.instance = {free_.back()};
    free_.pop_back();
  }
  at(entered.instance) = {replica, index, true, {}, now};
  of_replica.push_back(entered.instance);
  containers_[index].instances.push_back(entered.instance);
  return entered;
}

std::uint32_t Roster::add_container(const ContainerName& container) {
  const auto [place, is_new] =
      by_name_.emplace(container, static_cast<std::uint32_t>(containers_.size()));
  if (is_new) containers_.push_back({container, {}});
  return place->second;
}

void Roster::leave(InstanceId instance) {
  Instance& gone = at(instance);
  std::erase(containers_[gone.container].instances, instance);
  const auto of_replica = by_replica_.find(gone.replica);
  std::erase(of_replica->second, instance);
  if (of_replica->second.empty()) by_replica_.erase(of_replica);
  gone = {};
  free_.push_back(instance.index);
}

std::optional<std::uint32_t> Roster::find(const ContainerName& container) const {
  const auto found = by_name_.find(container);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::string Roster::label(InstanceId instance) const {
  const Instance& named = at(instance);
  const std::string& container = containers_[named.container].name.text();
  return named.replica.empty() ? container : named.replica.text() + "/" + container;
}

}  // namespace bellows::recommender
