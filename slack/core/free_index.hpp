// Nodes by free amount, then by name, kept sorted while they change.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "slack/core/node.hpp"
#include "slack/core/resources.hpp"

namespace bellows::slack {

/// The order of nodes by name as numbers, because many nodes have equal free amounts, and names of
/// one group differ only at their ends. Owner: a Cluster. Thread: that of its owner.
class NameOrder {
 public:
  /// Records that the node has got a name, another one, or none.
  void change(NodeId id) { changed_.push_back(id); }
  bool is_settled() const { return changed_.empty(); }
  /// Updates the ranks. `name_of(id)` is empty for a removed node. Ranks of the others keep their
  /// order.
  template <class NameOf>
  void settle(NameOf name_of);

  bool is_before(NodeId a, NodeId b) const { return ranks_[a] < ranks_[b]; }

 private:
  std::vector<NodeId> changed_;
  std::vector<NodeId> by_name_;
  std::vector<std::uint32_t> ranks_;  // indexed by node id
};

/// Entries sorted by amount and name, in blocks: a change moves one block, and a pass is as fast as
/// one over an array. Owner: a FreeIndex; the names outlive it.
class FreeList {
 public:
  struct Entry {
    std::int64_t free = 0;
    NodeId node = 0;
  };

  explicit FreeList(const NameOrder& names) : names_(names) {}

  std::size_t size() const { return size_; }
  void insert(const Entry& entry);
  /// Removes the entry, which must be present.
  void erase(const Entry& entry);
  /// Removes the nodes that are marked, by id, and adds `more`, in one pass. `all` is memory for
  /// the pass.
  void merge(const std::vector<std::uint8_t>& marked, std::vector<Entry>& more,
             std::vector<Entry>& all);

  /// Calls `use(node)` for nodes with at least that much, the fullest first, until it returns
  /// false.
  template <class Use>
  void each_from(std::int64_t least, Use use) const;

 private:
  using Block = std::vector<Entry>;
  bool is_before(const Entry& a, const Entry& b) const {
    return a.free != b.free ? a.free < b.free : names_.is_before(a.node, b.node);
  }
  /// Returns the first block that does not end before the entry.
  std::size_t block_of(const Entry& entry) const;

  const NameOrder& names_;
  std::vector<Block> blocks_;  // none is empty
  std::size_t size_ = 0;
};

/// Lists of ready and of ordered nodes, each by CPU and by memory. Owner: a Cluster. Thread: that
/// of its owner.
class FreeIndex {
 public:
  /// The lists and amounts of a node.
  struct Place {
    bool is_listed = false;
    bool is_upcoming = false;
    Resources free{};
  };

  const FreeList& by(bool is_memory, bool is_upcoming) const {
    return lists_[(is_upcoming ? 2U : 0U) + (is_memory ? 1U : 0U)];
  }
  const NameOrder& names() const { return names_; }
  NameOrder& names() { return names_; }

  /// Updates the nodes, each of which is once in `stale`. `place_of(id)` and `name_of(id)` return
  /// their current state.
  template <class PlaceOf, class NameOf>
  void update(const std::vector<NodeId>& stale, PlaceOf place_of, NameOf name_of);

 private:
  void take_out(const std::vector<NodeId>& stale);
  void put_in(const std::vector<NodeId>& stale, bool is_one_pass);
  bool is_many(std::size_t changes) const;

  NameOrder names_;
  std::array<FreeList, 4> lists_ = {FreeList(names_), FreeList(names_), FreeList(names_),
                                    FreeList(names_)};
  std::vector<Place> places_;  // indexed by node id, as they are in the lists
  // Memory of one pass, kept for the next.
  std::vector<std::uint8_t> marked_;
  std::array<std::vector<FreeList::Entry>, 4> more_;
  std::vector<FreeList::Entry> all_;
};

template <class NameOf>
void NameOrder::settle(NameOf name_of) {
  if (changed_.empty()) return;
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  if (changed_.back() >= ranks_.size()) ranks_.resize(changed_.back() + 1);
  std::erase_if(by_name_, [this](NodeId id) {
    return std::binary_search(changed_.begin(), changed_.end(), id);
  });
  std::erase_if(changed_, [&](NodeId id) { return name_of(id).empty(); });
  const auto is_before = [&](NodeId a, NodeId b) { return name_of(a) < name_of(b); };
  std::sort(changed_.begin(), changed_.end(), is_before);
  const auto old = static_cast<std::ptrdiff_t>(by_name_.size());
  by_name_.insert(by_name_.end(), changed_.begin(), changed_.end());
  std::inplace_merge(by_name_.begin(), by_name_.begin() + old, by_name_.end(), is_before);
  changed_.clear();
  for (std::uint32_t rank = 0; rank < by_name_.size(); ++rank) {
    ranks_[by_name_[rank]] = rank;
  }
}

template <class Use>
void FreeList::each_from(std::int64_t least, Use use) const {
  auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                    [least](const Block& one) { return one.back().free < least; });
  if (block == blocks_.end()) return;
  auto at = std::partition_point(block->begin(), block->end(),
                                 [least](const Entry& one) { return one.free < least; });
  for (; block != blocks_.end(); at = block->begin()) {
    for (; at != block->end(); ++at) {
      if (!use(at->node)) return;
    }
    if (++block == blocks_.end()) return;
  }
}

template <class PlaceOf, class NameOf>
void FreeIndex::update(const std::vector<NodeId>& stale, PlaceOf place_of, NameOf name_of) {
  for (const NodeId id : stale) {
    if (id >= places_.size()) places_.resize(id + 1);
  }
  // The lists are sorted by the previous names of the nodes. One pass over all needs no order.
  const bool is_one_pass = is_many(stale.size());
  if (!is_one_pass) take_out(stale);
  names_.settle(name_of);
  for (const NodeId id : stale) places_[id] = place_of(id);
  put_in(stale, is_one_pass);
}

}  // namespace bellows::slack
