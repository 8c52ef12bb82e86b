#include "cluster/kubernetes/core/activator_list.hpp"

#include <algorithm>
#include <map>

namespace bellows::cluster {

const Activator* ActivatorList::find(const PodName& name) const {
  const auto found = std::ranges::lower_bound(activators, name, {}, &Activator::name);
  return found == activators.end() || found->name != name ? nullptr : &*found;
}

ActivatorList activators_in(const ServiceSlices::ByName& slices) {
  ActivatorList list;
  if (!slices.empty()) list.ns = slices.begin()->second->meta.ns;
  const bool has_ipv4 = std::ranges::any_of(slices, [](const auto& entry) {
    return entry.second->address_type == "IPv4" && !entry.second->endpoints.empty();
  });
  if (!has_ipv4 && !slices.empty()) list.address_type = slices.begin()->second->address_type;
  std::map<PodName, Activator> by_name;
  for (const auto& [name, slice] : slices) {
    if (slice->address_type != list.address_type) continue;
    for (const kubernetes::SliceEndpoint& endpoint : slice->endpoints) {
      if (endpoint.target_kind != "Pod" || endpoint.addresses.empty()) continue;
      const PodName pod(endpoint.target_name);
      Activator& activator = by_name[pod];
      // A pod may stand in two slices while the controller moves it.
      const bool is_ready = activator.is_ready || endpoint.ready;
      activator = {.name = pod,
                   .address = endpoint.addresses.front(),
                   .node = endpoint.node_name,
                   .zone = endpoint.zone,
                   .is_ready = is_ready};
    }
  }
  for (auto& [name, activator] : by_name) list.activators.push_back(std::move(activator));
  return list;
}

}  // namespace bellows::cluster
