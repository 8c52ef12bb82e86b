#include "cluster/kubernetes/core/service_slices.hpp"

#include <algorithm>

#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

namespace {

const ServiceSlices::ByName kNone;

std::string service_key(const kubernetes::EndpointSlice& slice) {
  return kubernetes::object_key(slice.meta.ns, slice.service());
}

template <class Map, class Key>
void erase_from(Map& groups, const Key& key, const std::string& name) {
  const auto group = groups.find(key);
  if (group == groups.end()) return;
  group->second.erase(name);
  if (group->second.empty()) groups.erase(group);
}

}  // namespace

bool is_ours(const kubernetes::EndpointSlice& slice) {
  return slice.meta.labels.get(kubernetes::kSliceManagedByLabel) == kSliceManager;
}

RevisionId revision_of(const kubernetes::EndpointSlice& slice) {
  const std::string_view name = slice.meta.annotations.get(kSliceRevisionAnnotation);
  if (!is_ours(slice) || name.empty()) return {};
  return RevisionId(kubernetes::object_key(slice.meta.ns, name));
}

void ServiceSlices::changed(const SlicePtr& before, const SlicePtr& after) {
  if (before) {
    erase_from(by_service_, service_key(*before), before->meta.name);
    erase_from(ours_, revision_of(*before), before->meta.name);
  }
  if (!after) return;
  if (!after->service().empty()) by_service_[service_key(*after)][after->meta.name] = after;
  const RevisionId id = revision_of(*after);
  if (!id.empty()) ours_[id][after->meta.name] = after;
}

const ServiceSlices::ByName& ServiceSlices::of(std::string_view service) const {
  const auto found = by_service_.find(service);
  return found == by_service_.end() ? kNone : found->second;
}

const ServiceSlices::ByName& ServiceSlices::ours(const RevisionId& id) const {
  const auto found = ours_.find(id);
  return found == ours_.end() ? kNone : found->second;
}

std::vector<RevisionId> ServiceSlices::revisions() const {
  std::vector<RevisionId> ids;
  for (const auto& [id, slices] : ours_) ids.push_back(id);
  return ids;
}

bool has_ready_endpoint(const ServiceSlices::ByName& slices,
                        const std::function<bool(const kubernetes::SliceEndpoint&)>& does_count) {
  return std::ranges::any_of(slices, [&](const auto& entry) {
    const kubernetes::EndpointSlice& slice = *entry.second;
    return !is_ours(slice) && std::ranges::any_of(slice.endpoints, [&](const auto& endpoint) {
      return endpoint.ready && !endpoint.addresses.empty() &&
             (does_count == nullptr || does_count(endpoint));
    });
  });
}

}  // namespace bellows::cluster
