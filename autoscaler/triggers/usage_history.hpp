// Points of usage over time, and how many of the newest lie beyond a target: by running sums.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace bellows::autoscaler::triggers {

/// A usage that could not be measured.
inline constexpr double kUnknownUsage = std::numeric_limits<double>::quiet_NaN();

/// A usage in whole millionths: shares of up to a million replicas keep apart, a share that equals
/// its target does so exactly, and a history takes half the memory and is written as integers.
using Point = std::int32_t;
/// An unknown usage takes its place in the history and counts for no trigger.
inline constexpr Point kUnknownPoint = -1;

/// From 0; at most 2000 (200,000 %).
Point point_of(double usage);

/// A ring of points, newest first by index. Pure. Owner: the memory of a trigger policy.
class UsageHistory {
 public:
  /// Keeps `capacity` points from now on; the newest stay.
  void resize(std::int32_t capacity);

  void push(Point point);

  std::int32_t size() const { return size_; }
  std::int32_t capacity() const { return static_cast<std::int32_t>(ring_.size()); }
  /// The newest is 0; below size().
  Point at(std::int32_t age) const;

  /// Two are equal if they hold the same points.
  bool operator==(const UsageHistory& other) const;

 private:
  std::vector<Point> ring_;
  std::int32_t newest_ = 0;  // index into ring_
  std::int32_t size_ = 0;
};

/// How many of the newest `window` points of a history lie beyond a target.
struct Beyond {
  std::uint8_t measure = 0;  ///< of which history, by its owner's numbers
  bool is_up = true;         ///< above the target counts, else below it; equal never does
  std::int32_t window = 0;
  Point target = 0;
  std::int32_t count = 0;

  bool counts(Point point) const {
    return point != kUnknownPoint && (is_up ? point > target : point < target);
  }
  /// `count` once `point` is pushed. Reads one point.
  std::int32_t count_with(Point point, const UsageHistory& history) const;
  /// Reads every point: for a new target or window only.
  void recount(const UsageHistory& history);

  bool operator==(const Beyond&) const = default;
};

}  // namespace bellows::autoscaler::triggers
