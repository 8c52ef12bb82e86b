// Points of usage over time, and running sums of the newest points beyond a target.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace bellows::autoscaler::triggers {

/// A usage that could not be measured.
inline constexpr double kUnknownUsage = std::numeric_limits<double>::quiet_NaN();

/// A usage in whole millionths, which distinguishes the shares of up to a million replicas. A share
/// equals its target exactly, a history takes half the memory of doubles, and is written as
/// integers.
using Point = std::int32_t;
/// An unknown usage, which has a place in the history and counts for no trigger.
inline constexpr Point kUnknownPoint = -1;

/// Converts a usage from 0 to 2000 (200,000 %); higher ones become 2000.
Point point_of(double usage);

/// A ring of points, newest first by index. Pure. Owner: the memory of a trigger policy.
class UsageHistory {
 public:
  /// Sets the capacity; the newest points stay.
  void resize(std::int32_t capacity);

  void push(Point point);

  std::int32_t size() const { return size_; }
  std::int32_t capacity() const { return static_cast<std::int32_t>(ring_.size()); }
  /// Returns a point by its age, from 0 for the newest to size() - 1.
  Point at(std::int32_t age) const;

  /// Compares the points.
  bool operator==(const UsageHistory& other) const;

 private:
  std::vector<Point> ring_;
  std::int32_t newest_ = 0;  // index into ring_
  std::int32_t size_ = 0;
};

/// The count of points beyond a target among the newest `window` points of a history.
struct Beyond {
  std::uint8_t measure = 0;  ///< index of the history, by its owner's numbers
  bool is_up = true;  ///< points above the target count, else those below it; equal ones do not
  std::int32_t window = 0;
  Point target = 0;
  std::int32_t count = 0;

  bool counts(Point point) const {
    return point != kUnknownPoint && (is_up ? point > target : point < target);
  }
  /// Returns `count` after a push of `point`. It reads one point.
  std::int32_t count_with(Point point, const UsageHistory& history) const;
  /// Counts all points again, for a new target or window.
  void recount(const UsageHistory& history);

  bool operator==(const Beyond&) const = default;
};

}  // namespace bellows::autoscaler::triggers
