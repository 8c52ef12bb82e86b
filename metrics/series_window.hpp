// One series of values over one window, in Bellows's way: what was not recorded is unknown.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "metrics/decaying_sum.hpp"
#include "metrics/measure.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics {

/// The rules of revision_windows.hpp for a single series without sources: seconds are whole ones of
/// our time line, values of one second add up, the window at `now` is the second of `now` and the
/// n - 1 before it. The mean is over the seconds that were recorded, and over their weights where
/// newer ones weigh more:
///
///   10 in the seconds 0, 1 and 5, window 10 s: the mean at 5 s is 10, linear and weighted.
///   0 in the seconds 0 to 5 and 12 in 6, window 6 s: linear 2; weighted 9.41, because a = 0.78456.
///   After the last record the mean stands while what is left of it leaves; then it is empty.
///
/// Owner: whoever records. Pure. O(1) amortised per record and read; allocates only when made or
/// resized. Thread: one.
class SeriesWindow {
 public:
  explicit SeriesWindow(Duration window, Aggregation aggregation = Aggregation::kLinear);

  /// A value of a second that left the window already is dropped.
  void record(TimePoint at, double value);

  /// 0 while it is empty. A `now` before the newest record counts as that record.
  double average(TimePoint now);

  /// No second of the window at `now` was recorded.
  bool is_empty(TimePoint now);

  /// Another length; keeps the newest seconds that both hold.
  void resize(Duration window);

 private:
  struct Recorded {
    double value = 0;
    double seconds = 0;  // 1 if recorded; or the weight of those that were

    Recorded operator+(const Recorded& other) const {
      return {value + other.value, seconds + other.seconds};
    }
    Recorded operator*(double weight) const { return {value * weight, seconds * weight}; }
  };

  Recorded& slot(Second second) {
    return slots_[static_cast<std::size_t>(second) & (slots_.size() - 1)];
  }
  Recorded sum(TimePoint now);

  Second seconds_;
  Aggregation aggregation_;
  bool was_recorded_ = false;
  Second newest_ = 0;
  std::vector<Recorded> slots_;  // second s lives at s modulo the size, a power of two
  DecayingSum<Recorded> sum_;
};

}  // namespace bellows::metrics
