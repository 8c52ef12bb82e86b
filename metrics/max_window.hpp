// The greatest of the newest values: what a scale-down delay holds on to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace bellows::metrics {

/// Values at ascending indices (of seconds, of 2 s slots, of anything); the window at index i is
/// the indices (i - size, i]. Keeps only values that can still become the greatest, in falling
/// order (the ascending-minima algorithm turned round): record is O(1) amortised, reading is O(1),
/// nothing is allocated after construction. Example, size 3: recording 5 8 5 7 5 5 gives 5 8 8 8
/// 7 7.
template <class Value>
class MaxWindow {
 public:
  explicit MaxWindow(std::int64_t size) : size_(size) {
    CHECK(size > 0, "a window has a length");
    kept_.resize(static_cast<std::size_t>(size));
  }

  /// `index` never goes back; an earlier one counts as the latest one seen. Several values at one
  /// index count with their greatest.
  void record(std::int64_t index, Value value) {
    if (count_ > 0) index = std::max(index, back().index);
    drop_before(index - size_ + 1);
    if (count_ > 0 && back().index == index && back().value > value) return;
    while (count_ > 0 && back().value <= value) --count_;
    ++count_;
    back() = {index, value};
  }

  bool is_empty() const { return count_ == 0; }

  /// The greatest in the window at the index last recorded; the window must not be empty.
  Value greatest() const {
    CHECK(count_ > 0, "a greatest value needs a value");
    return kept_[first_].value;
  }

  void clear() { count_ = 0; }

  /// Another length from now on; the newest values that both hold are kept.
  void resize(std::int64_t size) {
    MaxWindow resized(size);
    for (std::size_t i = 0; i < count_; ++i) resized.record(at(i).index, at(i).value);
    *this = std::move(resized);
  }

 private:
  struct Kept {
    std::int64_t index = 0;
    Value value{};
  };

  Kept& at(std::size_t i) { return kept_[(first_ + i) % kept_.size()]; }
  Kept& back() { return at(count_ - 1); }

  void drop_before(std::int64_t oldest) {
    while (count_ > 0 && kept_[first_].index < oldest) {
      first_ = (first_ + 1) % kept_.size();
      --count_;
    }
  }

  std::int64_t size_;
  std::vector<Kept> kept_;  // a ring: falling values at rising indices, so at most size_ of them
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace bellows::metrics
