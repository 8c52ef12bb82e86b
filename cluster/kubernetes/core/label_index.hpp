// Which selectors take an object with certain labels, without asking each selector.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubernetes/core/string_map.hpp"

namespace bellows::cluster {

/// Selectors by one of their pairs, that with the fewest others, so that a label that all objects
/// share does not put all selectors into one list. Looking up costs O(labels + selectors found).
/// Thread: that of its owner.
class LabelIndex {
 public:
  /// `selector`: all its pairs must be among the labels; an empty one takes everything in `ns`.
  /// Replaces what `name` had.
  void put(std::string_view ns, std::string_view name, const kubernetes::StringMap& selector);
  void erase(std::string_view ns, std::string_view name);

  bool empty() const { return entries_.empty(); }
  /// The names whose selector takes `labels`, in order.
  std::vector<std::string> matching(std::string_view ns, const kubernetes::StringMap& labels) const;

 private:
  struct Entry {
    std::string bucket;
    kubernetes::StringMap selector;
  };
  std::unordered_map<std::string, Entry> entries_;                  // by NAMESPACE/NAME
  std::unordered_map<std::string, std::set<std::string>> buckets_;  // names by namespace and pair
};

/// True if `labels` has every pair of `selector`.
bool has_all(const kubernetes::StringMap& labels, const kubernetes::StringMap& selector);

}  // namespace bellows::cluster
