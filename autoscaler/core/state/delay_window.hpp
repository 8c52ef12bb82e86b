// The greatest number of replicas needed within scale-down-delay.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "autoscaler/core/observation.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// A maximum over slots of an evaluation period, counted from the start of the time line
/// (knative.md 1.4, step 10). A monotonic queue: only numbers that can still become the maximum are
/// kept, so one hour costs at most 1800 entries of 8 bytes, and a steady load costs one. Every call
/// gets the length, so a changed delay applies to the recorded numbers too.
class DelayWindow {
 public:
  struct Entry {
    std::int32_t slot = 0;
    PodCount pods = 0;
    bool operator==(const Entry&) const = default;
  };

  /// Records a number. `now` does not go back.
  void record(TimePoint now, PodCount pods, Duration delay);
  /// Returns the greatest of the window, or 0 if it is empty.
  PodCount max(TimePoint now, Duration delay) const;
  void clear() { entries_.clear(); }

  /// The oldest and greatest first; for snapshots.
  const std::vector<Entry>& entries() const { return entries_; }
  void restore(std::vector<Entry> entries) { entries_ = std::move(entries); }

  bool operator==(const DelayWindow&) const = default;

  static std::int32_t slot_of(TimePoint at);

 private:
  std::vector<Entry> entries_;  // slots ascend, pods descend
};

}  // namespace bellows::autoscaler
