#include "slack/core/free_index.hpp"

#include <utility>

#include "base/check.hpp"

namespace bellows::slack {

namespace {

/// Two blocks of 16-byte entries fit the first-level cache. Full blocks are split; merge() leaves
/// them half full.
constexpr std::size_t kMostInBlock = 256;

std::int64_t amount(const Resources& free, std::size_t list) {
  return list % 2 == 1 ? free.memory_bytes : free.cpu_millicores;
}

}  // namespace

std::size_t FreeList::block_of(const Entry& entry) const {
  const auto at = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& one) {
    return is_before(one.back(), entry);
  });
  return static_cast<std::size_t>(at - blocks_.begin());
}

void FreeList::insert(const Entry& entry) {
  ++size_;
  if (blocks_.empty()) {
    blocks_.push_back({entry});
    return;
  }
  const std::size_t at = std::min(block_of(entry), blocks_.size() - 1);
  Block& block = blocks_[at];
  const auto less = [this](const Entry& a, const Entry& b) { return is_before(a, b); };
  block.insert(std::upper_bound(block.begin(), block.end(), entry, less), entry);
  if (block.size() <= kMostInBlock) return;
  const auto half = block.begin() + static_cast<std::ptrdiff_t>(block.size() / 2);
  Block upper(half, block.end());
  block.erase(half, block.end());
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
}

void FreeList::erase(const Entry& entry) {
  const std::size_t at = block_of(entry);
  CHECK(at < blocks_.size(), "a node is taken out of a list where it is not");
  Block& block = blocks_[at];
  const auto less = [this](const Entry& a, const Entry& b) { return is_before(a, b); };
  const auto found = std::lower_bound(block.begin(), block.end(), entry, less);
  CHECK(found != block.end() && found->node == entry.node,
        "a node is taken out of a list where it is not");
  block.erase(found);
  --size_;
  if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
}

void FreeList::merge(const std::vector<std::uint8_t>& marked, std::vector<Entry>& more,
                     std::vector<Entry>& all) {
  const auto less = [this](const Entry& a, const Entry& b) { return is_before(a, b); };
  std::sort(more.begin(), more.end(), less);
  all.clear();
  auto next = more.begin();
  for (const Block& block : blocks_) {
    for (const Entry& kept : block) {
      if (marked[kept.node] != 0) continue;
      while (next != more.end() && less(*next, kept)) all.push_back(*next++);
      all.push_back(kept);
    }
  }
  all.insert(all.end(), next, more.end());
  size_ = all.size();
  constexpr std::size_t kHalf = kMostInBlock / 2;
  blocks_.resize((all.size() + kHalf - 1) / kHalf);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(i * kHalf);
    const auto to =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), (i + 1) * kHalf));
    blocks_[i].assign(from, to);
  }
}

/// Returns true if one pass over all is less work than single changes.
bool FreeIndex::is_many(std::size_t changes) const {
  constexpr std::size_t kPart = 16;
  return changes * kPart > places_.size();
}

void FreeIndex::take_out(const std::vector<NodeId>& stale) {
  for (const NodeId id : stale) {
    const Place& place = places_[id];
    if (!place.is_listed) continue;
    const std::size_t first = place.is_upcoming ? 2 : 0;
    for (const std::size_t list : {first, first + 1})
      lists_[list].erase({amount(place.free, list), id});
  }
}

void FreeIndex::put_in(const std::vector<NodeId>& stale, bool is_one_pass) {
  for (std::vector<FreeList::Entry>& list : more_) list.clear();
  for (const NodeId id : stale) {
    const Place& place = places_[id];
    if (!place.is_listed) continue;
    const std::size_t first = place.is_upcoming ? 2 : 0;
    for (const std::size_t list : {first, first + 1})
      more_[list].push_back({amount(place.free, list), id});
  }
  if (is_one_pass) {
    marked_.assign(places_.size(), 0);
    for (const NodeId id : stale) marked_[id] = 1;
  }
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    if (is_one_pass) {
      lists_[list].merge(marked_, more_[list], all_);
    } else {
      for (const FreeList::Entry& entry : more_[list]) lists_[list].insert(entry);
    }
  }
}

}  // namespace bellows::slack
