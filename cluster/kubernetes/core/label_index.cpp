#include "cluster/kubernetes/core/label_index.hpp"

#include <algorithm>
#include <limits>

namespace bellows::cluster {

namespace {

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

/// No namespace, key or value has a line break.
std::string bucket_of(std::string_view ns, std::string_view key, std::string_view value) {
  std::string bucket(ns);
  bucket += '\n';
  bucket += key;
  bucket += '\n';
  bucket += value;
  return bucket;
}

}  // namespace

bool has_all(const kubernetes::StringMap& labels, const kubernetes::StringMap& selector) {
  return std::ranges::all_of(selector, [&](const auto& pair) {
    const std::string* value = labels.find(pair.first);
    return value != nullptr && *value == pair.second;
  });
}

void LabelIndex::put(std::string_view ns, std::string_view name,
                     const kubernetes::StringMap& selector) {
  erase(ns, name);
  std::string best = bucket_of(ns, {}, {});
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& [key, value] : selector) {
    std::string bucket = bucket_of(ns, key, value);
    const auto found = buckets_.find(bucket);
    const std::size_t size = found == buckets_.end() ? 0 : found->second.size();
    if (size >= fewest) continue;
    fewest = size;
    best = std::move(bucket);
  }
  buckets_[best].emplace(name);
  entries_[key_of(ns, name)] = {std::move(best), selector};
}

void LabelIndex::erase(std::string_view ns, std::string_view name) {
  const auto entry = entries_.find(key_of(ns, name));
  if (entry == entries_.end()) return;
  const auto bucket = buckets_.find(entry->second.bucket);
  bucket->second.erase(std::string(name));
  if (bucket->second.empty()) buckets_.erase(bucket);
  entries_.erase(entry);
}

std::vector<std::string> LabelIndex::matching(std::string_view ns,
                                              const kubernetes::StringMap& labels) const {
  std::vector<std::string> names;
  const auto add_from = [&](std::string_view key, std::string_view value) {
    const auto bucket = buckets_.find(bucket_of(ns, key, value));
    if (bucket == buckets_.end()) return;
    for (const std::string& name : bucket->second) {
      if (has_all(labels, entries_.at(key_of(ns, name)).selector)) names.push_back(name);
    }
  };
  add_from({}, {});
  for (const auto& [key, value] : labels) add_from(key, value);
  std::ranges::sort(names);
  return names;
}

}  // namespace bellows::cluster
