#include "metrics/point_window.hpp"

namespace bellows::metrics {

void PointWindow::record(TimePoint at, double value) {
  drop_before(at);
  points_.push_back({at, value});
}

double PointWindow::average(TimePoint now) {
  if (is_empty(now)) return 0;
  double sum = 0;
  for (const Point& point : points_) sum += point.value;
  return sum / static_cast<double>(points_.size());
}

bool PointWindow::is_empty(TimePoint now) {
  drop_before(now);
  return points_.empty();
}

void PointWindow::drop_before(TimePoint now) {
  while (!points_.empty() && points_.front().at + window_ <= now) points_.pop_front();
}

}  // namespace bellows::metrics
