#include "slack/core/free_index.hpp"

#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace bellows::slack {

namespace {

/// Two blocks of 16-byte entries fit the first cache. Full blocks are cut in halves; merge() leaves
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

void FreeList::merge(const std::vector<std::uint8_t>& marked, std::vector<Entry> more) {
  std::vector<Entry> kept;
  kept.reserve(size_ + more.size());
  for (const Block& block : blocks_) {
    std::copy_if(block.begin(), block.end(), std::back_inserter(kept),
                 [&marked](const Entry& one) { return marked[one.node] == 0; });
  }
  const auto less = [this](const Entry& a, const Entry& b) { return is_before(a, b); };
  std::sort(more.begin(), more.end(), less);
  const auto old = static_cast<std::ptrdiff_t>(kept.size());
  kept.insert(kept.end(), more.begin(), more.end());
  std::inplace_merge(kept.begin(), kept.begin() + old, kept.end(), less);
  blocks_.clear();
  size_ = kept.size();
  for (std::size_t from = 0; from < kept.size(); from += kMostInBlock / 2) {
    const std::size_t to = std::min(kept.size(), from + kMostInBlock / 2);
    blocks_.emplace_back(kept.begin() + static_cast<std::ptrdiff_t>(from),
                         kept.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

/// True if one pass over all is less work than single changes.
bool FreeIndex::is_many(std::size_t changes) const {
  constexpr std::size_t kPart = 16;
  return changes * kPart > places_.size();
}

void FreeIndex::take_out(const std::vector<NodeId>& stale) {
  for (const NodeId id : stale) {
    if (id >= places_.size()) places_.resize(id + 1);
  }
  if (is_many(stale.size())) {
    marked_.assign(places_.size(), 0);
    for (const NodeId id : stale) marked_[id] = 1;
    for (FreeList& list : lists_) list.merge(marked_, {});
    return;
  }
  for (const NodeId id : stale) {
    const Place& place = places_[id];
    if (!place.is_listed) continue;
    const std::size_t first = place.is_upcoming ? 2 : 0;
    for (const std::size_t list : {first, first + 1})
      lists_[list].erase({amount(place.free, list), id});
  }
}

void FreeIndex::put_in(const std::vector<NodeId>& stale) {
  std::array<std::vector<FreeList::Entry>, 4> more;
  for (const NodeId id : stale) {
    const Place& place = places_[id];
    if (!place.is_listed) continue;
    const std::size_t first = place.is_upcoming ? 2 : 0;
    for (const std::size_t list : {first, first + 1})
      more[list].push_back({amount(place.free, list), id});
  }
  const bool is_bulk = is_many(stale.size());
  if (is_bulk) marked_.assign(places_.size(), 0);
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    if (is_bulk) {
      lists_[list].merge(marked_, std::move(more[list]));
    } else {
      for (const FreeList::Entry& entry : more[list]) lists_[list].insert(entry);
    }
  }
}

}  // namespace bellows::slack
