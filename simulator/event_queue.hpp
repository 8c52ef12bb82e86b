// A priority queue of future events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace bellows::simulator {

/// A heap with four children per node, earliest event first: half as deep as a binary heap, with
/// adjacent children. The order of events at the same time depends only on the calls.
template <class T>
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Time of the next event; TimePoint::max() if there is none.
  TimePoint next() const { return heap_.empty() ? TimePoint::max() : heap_.front().at; }

  void add(TimePoint at, T event) {
    heap_.push_back({at, std::move(event)});
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

  /// Removes and returns the next event. Precondition: not empty.
  T take() {
    T next_event = std::move(heap_.front().event);
    Entry last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) sink(std::move(last));
    return next_event;
  }

 private:
  static constexpr std::size_t kChildren = 4;
  struct Entry {
    TimePoint at;
    T event;
  };

  void sink(Entry entry) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * kChildren + 1;
      if (first >= size) break;
      std::size_t earliest = first;
      for (std::size_t child = first + 1; child < std::min(first + kChildren, size); ++child) {
        if (heap_[child].at < heap_[earliest].at) earliest = child;
      }
      if (!(heap_[earliest].at < entry.at)) break;
      heap_[hole] = std::move(heap_[earliest]);
      hole = earliest;
    }
    heap_[hole] = std::move(entry);
  }

  std::vector<Entry> heap_;
};

}  // namespace bellows::simulator
