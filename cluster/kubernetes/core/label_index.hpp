// Finds the selectors that match an object's labels, without trying each selector.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubernetes/core/string_map.hpp"

namespace bellows::cluster {

/// Selectors by the rarest of their pairs, so that a label that all objects share does not put all
/// selectors into one list. A look-up costs O(labels + selectors found). Thread: that of its owner.
class LabelIndex {
 public:
  /// Adds a selector, or replaces that of `name`. `selector`: all its pairs must be among the
  /// labels; an empty one matches everything in `ns`.
  void put(std::string_view ns, std::string_view name, const kubernetes::StringMap& selector);
  void erase(std::string_view ns, std::string_view name);

  bool empty() const { return entries_.empty(); }
  /// Returns the names whose selector matches `labels`, in order.
  std::vector<std::string> matching(std::string_view ns, const kubernetes::StringMap& labels) const;

 private:
  struct Entry {
    std::string bucket;
    kubernetes::StringMap selector;
  };
  std::unordered_map<std::string, Entry> entries_;                  // by NAMESPACE/NAME
  std::unordered_map<std::string, std::set<std::string>> buckets_;  // names by namespace and pair
};

/// Returns true if `labels` has every pair of `selector`.
bool has_all(const kubernetes::StringMap& labels, const kubernetes::StringMap& selector);

}  // namespace bellows::cluster
