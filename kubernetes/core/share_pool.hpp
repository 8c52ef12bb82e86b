// Stores equal parts of many objects once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace bellows::kubernetes {

/// V is a StringMap or a SharedList: share(v) returns an equal value whose memory all equal ones
/// share. `hash_of(const V&)` is found beside V. Values without another holder are removed at the
/// next sweep, which a growing pool starts itself. Owner: a store of objects. Thread: that of the
/// store.
template <class V>
class SharePool {
 public:
  V share(const V& value) {
    if (value.empty()) return value;
    const std::size_t hash = hash_of(value);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (at->second == value) return at->second;
    }
    if (by_hash_.size() >= sweep_at_) sweep();
    by_hash_.emplace(hash, value);
    return value;
  }

  std::size_t size() const { return by_hash_.size(); }

 private:
  /// Removes values without another holder. The next sweep is due at twice the remaining size, so
  /// that one more value costs constant time.
  void sweep() {
    std::erase_if(by_hash_, [](const auto& entry) { return !entry.second.is_shared(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * by_hash_.size());
  }

  std::unordered_multimap<std::size_t, V> by_hash_;
  std::size_t sweep_at_ = 64;
};

}  // namespace bellows::kubernetes
