// A window of points in time, as the autoscaler of 2018 kept it.
#pragma once

#include <deque>

#include "base/time.hpp"

namespace bellows::metrics {

/// Every value is a point with its instant; the mean is over all points of the window, which is
/// (now - window, now]. No seconds, no zeros for gaps (knative.md 1.6). A read is O(points): this
/// is for replaying that behaviour, not for deciding.
class PointWindow {
 public:
  explicit PointWindow(Duration window) : window_(window) {}

  /// `at` never goes back.
  void record(TimePoint at, double value);
  double average(TimePoint now);  ///< 0 while it is empty
  bool is_empty(TimePoint now);

  /// Another length; points that the shorter one dropped do not come back.
  void resize(Duration window) { window_ = window; }

 private:
  struct Point {
    TimePoint at;
    double value;
  };

  void drop_before(TimePoint now);

  Duration window_;
  std::deque<Point> points_;
};

}  // namespace bellows::metrics
