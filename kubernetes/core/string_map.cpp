#include "kubernetes/core/string_map.hpp"

#include <algorithm>
#include <functional>

namespace bellows::kubernetes {

namespace {

bool is_before(const StringMap::Entry& a, const StringMap::Entry& b) {
  return a.first < b.first;
}

}  // namespace

StringMap::StringMap(Entries entries) {
  if (entries.empty()) return;
  std::stable_sort(entries.begin(), entries.end(), is_before);
  // The last of equal keys is kept: unique() keeps the first, so it runs from the end.
  const auto kept = std::unique(entries.rbegin(), entries.rend(),
                                [](const Entry& a, const Entry& b) { return a.first == b.first; });
  entries.erase(entries.begin(), kept.base());
  entries.shrink_to_fit();
  entries_ = std::make_shared<const Entries>(std::move(entries));
}

const StringMap::Entries& StringMap::entries() const {
  static const Entries kNone;
  return entries_ == nullptr ? kNone : *entries_;
}

const std::string* StringMap::find(std::string_view key) const {
  const Entries& all = entries();
  const auto at = std::lower_bound(all.begin(), all.end(), key,
                                   [](const Entry& entry, std::string_view wanted) {
                                     return std::string_view(entry.first) < wanted;
                                   });
  return at == all.end() || at->first != key ? nullptr : &at->second;
}

std::string_view StringMap::get(std::string_view key) const {
  const std::string* value = find(key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

bool StringMap::operator==(const StringMap& other) const {
  return entries_ == other.entries_ || entries() == other.entries();
}

std::size_t hash_of(const StringMap& map) {
  std::size_t hash = map.size();
  const auto mix = [&hash](const std::string& text) {
    hash = hash * 0x9e3779b97f4a7c15ULL + std::hash<std::string>()(text);
  };
  for (const auto& [key, value] : map) {
    mix(key);
    mix(value);
  }
  return hash;
}

}  // namespace bellows::kubernetes
