// The greatest number of replicas wanted within scale-down-delay.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// A maximum over slots of two seconds that begin at even seconds of the time line (knative.md 1.4,
/// step 10). A monotonic queue: only numbers that could still become the maximum are kept, so one
/// hour costs at most 1800 entries of 8 bytes, and a steady load costs one. The length is given
/// with every call, so a changed delay holds for what is remembered already.
class DelayWindow {
 public:
  static constexpr Duration kSlot = std::chrono::seconds(2);

  struct Entry {
    std::int32_t slot = 0;
    PodCount pods = 0;
    bool operator==(const Entry&) const = default;
  };

  /// `now` does not go back. Amortised O(1).
  void record(TimePoint now, PodCount pods, Duration delay);
  /// The greatest of the window, or 0 if it is empty.
  PodCount max(TimePoint now, Duration delay) const;
  void clear();

  /// Oldest and greatest first; for snapshots.
  std::vector<Entry> entries() const { return {queue_.begin() + first_, queue_.end()}; }
  void restore(std::vector<Entry> entries);

  bool operator==(const DelayWindow& other) const { return entries() == other.entries(); }

  static std::int32_t slot_of(TimePoint at);

 private:
  void forget_before(std::int32_t oldest);

  std::vector<Entry> queue_;  // slots rise, pods fall
  std::ptrdiff_t first_ = 0;  // those before it are over
};

}  // namespace bellows::autoscaler
