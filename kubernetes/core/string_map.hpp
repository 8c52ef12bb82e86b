// Labels and annotations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::kubernetes {

/// An immutable map of texts: sorted by key, shared by its copies; an empty one takes no memory of
/// its own. The pods of one ReplicaSet have equal labels, so a store keeps each map once
/// (SharePool).
class StringMap {
 public:
  using Entry = std::pair<std::string, std::string>;
  using Entries = std::vector<Entry>;

  StringMap() = default;
  /// Keeps the last of equal keys, as in JSON.
  explicit StringMap(Entries entries);

  /// Returns the value, or nullptr. It is valid as long as any copy of the map.
  const std::string* find(std::string_view key) const;
  /// Returns the value, or an empty text.
  std::string_view get(std::string_view key) const;

  bool empty() const { return entries_ == nullptr; }
  std::size_t size() const { return entries_ == nullptr ? 0 : entries_->size(); }
  Entries::const_iterator begin() const { return entries().begin(); }
  Entries::const_iterator end() const { return entries().end(); }

  bool operator==(const StringMap& other) const;

  /// Returns true if another copy exists.
  bool is_shared() const { return entries_.use_count() > 1; }

 private:
  const Entries& entries() const;

  std::shared_ptr<const Entries> entries_;  // shared by all copies; null if empty
};

std::size_t hash_of(const StringMap& map);

}  // namespace bellows::kubernetes
