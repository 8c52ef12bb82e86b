#include "injector/core/surroundings.hpp"

#include <algorithm>
#include <utility>

namespace bellows::injector {

namespace {

std::vector<Service> read_services(const std::vector<Resource>& resources) {
  std::vector<Service> services;
  for (const Resource& resource : resources) {
    if (auto service = read_service(resource)) services.push_back(std::move(*service));
  }
  return services;
}

/// Those with a selector by labels, or for all pods.
std::vector<const Resource*> find_policies(const std::vector<Resource>& resources) {
  std::vector<const Resource*> policies;
  for (const Resource& resource : resources) {
    if (resource.kind != "NetworkPolicy") continue;
    const Node* const selector = resource.root->at("spec/podSelector");
    if (selector == nullptr) continue;
    const bool is_known = selector->entries.empty() || selector->find("matchLabels") != nullptr;
    if (is_known) policies.push_back(&resource);
  }
  return policies;
}

/// The labels that a policy wants; nullptr: it is for all pods.
const Node* labels_of(const Resource& policy) {
  return policy.root->at("spec/podSelector/matchLabels");
}

SelectorIndex index_of(const std::vector<Service>& services) {
  std::vector<SelectorIndex::Selector> selectors;
  for (const Service& service : services) {
    selectors.push_back({service.resource.name_space, service.selector});
  }
  return SelectorIndex(selectors);
}

SelectorIndex index_of(const std::vector<const Resource*>& policies) {
  std::vector<SelectorIndex::Selector> selectors;
  for (const Resource* const policy : policies) {
    selectors.push_back({policy->name_space, labels_of(*policy)});
  }
  return SelectorIndex(selectors);
}

}  // namespace

SelectorIndex::SelectorIndex(const std::vector<Selector>& selectors) {
  const auto keys_of = [](const Selector& selector) {
    std::vector<Key> keys;
    if (selector.labels == nullptr) return keys;
    for (const Entry* const entry : selector.labels->all_entries()) {
      keys.emplace_back(selector.name_space, entry->key.text, entry->value.text);
    }
    return keys;
  };
  std::map<Key, std::size_t> uses;
  for (const Selector& selector : selectors) {
    for (const Key& key : keys_of(selector)) ++uses[key];
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const std::vector<Key> keys = keys_of(selectors[i]);
    const auto rarest =
        std::ranges::min_element(keys, {}, [&uses](const Key& key) { return uses.at(key); });
    const Key all{selectors[i].name_space, {}, {}};
    selectors_[rarest == keys.end() ? all : *rarest].push_back(i);
  }
}

void SelectorIndex::add_found(const Key& key, std::vector<std::size_t>& found) const {
  const auto known = selectors_.find(key);
  if (known == selectors_.end()) return;
  found.insert(found.end(), known->second.begin(), known->second.end());
}

std::vector<std::size_t> SelectorIndex::candidates_for(const Resource& workload) const {
  std::vector<std::size_t> found;
  const Node* const pod = pod_of(workload);
  if (pod == nullptr) return found;
  add_found({workload.name_space, {}, {}}, found);
  if (const Node* const labels = pod->at("metadata/labels")) {
    for (const Entry* const entry : labels->all_entries()) {
      add_found({workload.name_space, entry->key.text, entry->value.text}, found);
    }
  }
  std::ranges::sort(found);
  return found;
}

Surroundings::Surroundings(const std::vector<Resource>& resources)
    : services_(read_services(resources)),
      policies_(find_policies(resources)),
      service_index_(index_of(services_)),
      policy_index_(index_of(policies_)) {
  for (const Resource& resource : resources) {
    if (resource.kind == "ResourceQuota") quotas_[resource.name_space].push_back(&resource);
    const bool is_revision =
        resource.kind == "Revision" && resource.api_version.starts_with("bellows.dev/");
    if (!is_revision) continue;
    scaled_.emplace(resource.name_space, resource.root->text_at("spec/scaleTargetRef/name"));
  }
}

std::vector<std::size_t> Surroundings::services_of(const Resource& workload) const {
  std::vector<std::size_t> found = service_index_.candidates_for(workload);
  std::erase_if(found, [&](std::size_t i) { return !selects_pods_of(services_[i], workload); });
  return found;
}

std::vector<const Resource*> Surroundings::policies_of(const Resource& workload) const {
  std::vector<const Resource*> found;
  for (const std::size_t i : policy_index_.candidates_for(workload)) {
    const Node* const wanted = labels_of(*policies_[i]);
    const bool is_for_it =
        wanted == nullptr || selects(*wanted, pod_of(workload)->at("metadata/labels"));
    if (is_for_it) found.push_back(policies_[i]);
  }
  return found;
}

const std::vector<const Resource*>& Surroundings::quotas_of(const Resource& workload) const {
  static const std::vector<const Resource*> kNone;
  const auto found = quotas_.find(workload.name_space);
  return found == quotas_.end() ? kNone : found->second;
}

bool Surroundings::has_revision(const Resource& workload) const {
  return scaled_.contains({workload.name_space, workload.name});
}

}  // namespace bellows::injector
