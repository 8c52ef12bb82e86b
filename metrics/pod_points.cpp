#include "metrics/pod_points.hpp"

#include <algorithm>

namespace bellows::metrics {

void PodPoints::record(TimePoint at, const PodName& pod, double value) {
  const auto behind =
      std::upper_bound(points_.begin(), points_.end(), at,
                       [](TimePoint instant, const Point& point) { return instant < point.at; });
  points_.insert(behind, {at, value});
  TimePoint& newest = newest_.try_emplace(pod, at).first->second;
  newest = std::max(newest, at);
}

PodPoints::View PodPoints::view(Window window, TimePoint now) {
  drop_before(now);
  const Duration duration = length(window);
  const auto is_inside = [&](TimePoint at) { return at + duration > now; };
  double sum = 0;
  std::size_t points = 0;
  for (const Point& point : points_) {
    if (!is_inside(point.at)) continue;
    sum += point.value;
    ++points;
  }
  View view;
  if (points > 0) view.mean = sum / static_cast<double>(points);
  view.is_empty = points == 0;
  for (const auto& [pod, at] : newest_) {
    if (is_inside(at)) ++view.pods;
  }
  return view;
}

void PodPoints::resize(Duration stable, Duration panic) {
  stable_ = stable;
  panic_ = panic;
}

void PodPoints::drop_before(TimePoint now) {
  const auto is_over = [&](TimePoint at) { return at + stable_ <= now; };
  while (!points_.empty() && is_over(points_.front().at)) points_.pop_front();
  std::erase_if(newest_, [&](const auto& pod) { return is_over(pod.second); });
}

}  // namespace bellows::metrics
