// The last decisions of one revision, with everything that led to them.
#pragma once

#include <array>
#include <cstddef>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// A ring; the oldest decision makes room for the newest. Allocates nothing. Owner: one revision.
class Journal {
 public:
  static constexpr std::size_t kKept = 32;

  void add(const Decision& decision) {
    ring_[next_] = decision;
    next_ = (next_ + 1) % kKept;
    if (size_ < kKept) ++size_;
  }

  std::size_t size() const { return size_; }
  /// The newest is 0, the oldest is size() - 1.
  const Decision& back(std::size_t ago) const { return ring_[(next_ + kKept - 1 - ago) % kKept]; }
  /// nullptr before the first decision.
  const Decision* last() const { return size_ == 0 ? nullptr : &back(0); }

 private:
  std::array<Decision, kKept> ring_{};
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

/// With its journal a revision stays within the memory that docs/architecture.md grants it.
static_assert(sizeof(Journal) <= 16 * 1024);

}  // namespace bellows::autoscaler
