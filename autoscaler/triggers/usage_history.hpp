// Points of usage over time, and how many of the newest lie beyond a target: by running sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace bellows::autoscaler::triggers {

/// A usage that could not be measured. It takes its place in the history and counts for no trigger.
inline constexpr double kUnknownUsage = std::numeric_limits<double>::quiet_NaN();

/// A ring of points, newest first by index. Pure. Owner: the memory of a trigger policy.
class UsageHistory {
 public:
  /// Keeps `capacity` points from now on; the newest stay.
  void resize(std::int32_t capacity);

  void push(double usage);

  std::int32_t size() const { return size_; }
  std::int32_t capacity() const { return static_cast<std::int32_t>(ring_.size()); }
  /// The newest is 0; below size().
  double at(std::int32_t age) const;

  /// Two are equal if they hold the same points; unknown ones are equal.
  bool operator==(const UsageHistory& other) const;

 private:
  std::vector<double> ring_;
  std::int32_t newest_ = 0;  // index into ring_
  std::int32_t size_ = 0;
};

/// How many of the newest `window` points of a history lie beyond a target.
struct Beyond {
  std::int32_t window = 0;
  double target = 0;
  bool is_up = true;  ///< above the target counts, else below it; equal never does
  std::int32_t count = 0;

  bool counts(double usage) const { return is_up ? usage > target : usage < target; }
  /// `count` once `usage` is pushed. Reads one point.
  std::int32_t count_with(double usage, const UsageHistory& history) const;
  /// Reads every point: for a new target or window only.
  void recount(const UsageHistory& history);

  bool operator==(const Beyond&) const = default;
};

}  // namespace bellows::autoscaler::triggers
