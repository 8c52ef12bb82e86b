#include "metrics/series_window.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"

namespace bellows::metrics {

namespace {

Second whole_seconds(Duration window) {
  return std::chrono::ceil<std::chrono::seconds>(window).count();
}

double decay_of(Aggregation aggregation, Second seconds) {
  return aggregation == Aggregation::kWeightedExponential ? 1 - newest_weight(seconds) : 1;
}

}  // namespace

SeriesWindow::SeriesWindow(Duration window, Aggregation aggregation)
    : seconds_(whole_seconds(window)),
      aggregation_(aggregation),
      sum_(seconds_, decay_of(aggregation, seconds_)) {
  CHECK(seconds_ > 0, "a window has a length");
  slots_.resize(std::bit_ceil(static_cast<std::size_t>(seconds_)));
}

void SeriesWindow::record(TimePoint at, double value) {
  const Second second = second_of(at);
  if (!was_recorded_ || second - newest_ >= seconds_) {
    std::fill(slots_.begin(), slots_.end(), Recorded{});
    slot(second) = {value, 1};
    newest_ = second;
    was_recorded_ = true;
    sum_.forget();
    return;
  }
  if (newest_ - second >= seconds_) return;
  const Second passed = std::max<Second>(second - newest_, 0);
  for (; newest_ < second; ++newest_) slot(newest_ + 1) = {};
  const Recorded added{value, slot(second).seconds > 0 ? 0.0 : 1.0};
  slot(second) = slot(second) + added;
  if (second == newest_) {
    sum_.add_newest(passed, added);
  } else {
    sum_.add_late(second, newest_, added);
  }
}

SeriesWindow::Recorded SeriesWindow::sum(TimePoint now) {
  if (!was_recorded_) return {};
  return sum_.read(newest_, std::max(second_of(now), newest_),
                   [this](Second second) { return slot(second); });
}

double SeriesWindow::average(TimePoint now) {
  const Recorded recorded = sum(now);
  return recorded.seconds > 0 ? recorded.value / recorded.seconds : 0;
}

bool SeriesWindow::is_empty(TimePoint now) {
  return sum(now).seconds <= 0;
}

void SeriesWindow::resize(Duration window) {
  SeriesWindow resized(window, aggregation_);
  if (was_recorded_) {
    resized.was_recorded_ = true;
    resized.newest_ = newest_;
    for (Second back = 0; back < std::min(seconds_, resized.seconds_); ++back) {
      resized.slot(newest_ - back) = slot(newest_ - back);
    }
  }
  *this = std::move(resized);
}

}  // namespace bellows::metrics
