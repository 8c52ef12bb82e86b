// What happens when: a heap of things to come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace bellows::simulator {

/// Soonest first. A heap with four children a node: half as deep as a binary one, and the children
/// lie side by side. Things of one instant come in an order that depends only on what was put in.
template <class Thing>
class Agenda {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// TimePoint::max() if there is nothing.
  TimePoint next() const { return heap_.empty() ? TimePoint::max() : heap_.front().at; }

  void add(TimePoint at, Thing thing) {
    heap_.push_back({at, std::move(thing)});
    std::size_t hole = heap_.size() - 1;
    Entry entry = std::move(heap_[hole]);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kChildren;
      if (!(entry.at < heap_[parent].at)) break;
      heap_[hole] = std::move(heap_[parent]);
      hole = parent;
    }
    heap_[hole] = std::move(entry);
  }

  /// The soonest, taken out; there is one.
  Thing take() {
    Thing taken = std::move(heap_.front().thing);
    Entry last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) sink(std::move(last));
    return taken;
  }

 private:
  static constexpr std::size_t kChildren = 4;
  struct Entry {
    TimePoint at;
    Thing thing;
  };

  void sink(Entry entry) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * kChildren + 1;
      if (first >= size) break;
      std::size_t soonest = first;
      for (std::size_t child = first + 1; child < std::min(first + kChildren, size); ++child) {
        if (heap_[child].at < heap_[soonest].at) soonest = child;
      }
      if (!(heap_[soonest].at < entry.at)) break;
      heap_[hole] = std::move(heap_[soonest]);
      hole = soonest;
    }
    heap_[hole] = std::move(entry);
  }

  std::vector<Entry> heap_;
};

}  // namespace bellows::simulator
