// Finds the objects of an input that concern a workload, each without a search through all objects.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "injector/core/resource.hpp"
#include "injector/core/service.hpp"

namespace bellows::injector {

/// Selectors by one of their entries, the one that the fewest of them have: many objects of an
/// input may share a label, for example that of their team.
class SelectorIndex {
 public:
  /// One selector; without `labels` it selects all pods of its namespace.
  struct Selector {
    std::string_view name_space;
    const Node* labels = nullptr;
  };
  explicit SelectorIndex(const std::vector<Selector>& selectors);

  /// Returns the indices of those that may select the pods of `workload`, in their order: the
  /// others do not.
  std::vector<std::size_t> candidates_for(const Resource& workload) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  void add_found(const Key& key, std::vector<std::size_t>& found) const;

  std::map<Key, std::vector<std::size_t>> selectors_;
};

/// It is valid as long as the `resources` of its constructor.
class Surroundings {
 public:
  explicit Surroundings(const std::vector<Resource>& resources);

  const std::vector<Service>& services() const { return services_; }
  /// Returns the indices of the Services that select the pods of `workload`.
  std::vector<std::size_t> services_of(const Resource& workload) const;
  /// Returns the network policies for its pods; expressions are ignored.
  std::vector<const Resource*> policies_of(const Resource& workload) const;
  /// Returns the quotas of its namespace.
  const std::vector<const Resource*>& quotas_of(const Resource& workload) const;
  /// Returns true if a Revision of the input scales it.
  bool has_revision(const Resource& workload) const;

 private:
  std::vector<Service> services_;
  std::vector<const Resource*> policies_;
  std::map<std::string_view, std::vector<const Resource*>> quotas_;  // by namespace
  std::set<std::pair<std::string_view, std::string>> scaled_;        // namespace, name
  SelectorIndex service_index_;
  SelectorIndex policy_index_;
};

}  // namespace bellows::injector
