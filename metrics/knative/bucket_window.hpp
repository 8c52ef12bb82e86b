// One window as Knative averages it.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "metrics/decaying_sum.hpp"
#include "metrics/knative/bucket_ring.hpp"
#include "metrics/measure.hpp"

namespace bellows::metrics::knative {

/// Missing buckets are zeros; see bucket_ring.hpp for what the window holds. `now` is truncated to
/// its bucket; a read slightly in the past reads as at the newest record. d buckets after the
/// newest record:
///
///  * linear: the sum of what has not rolled out / min(buckets since the first record, n - d),
///    rounded to 6 decimals, half away from zero (so -0 can come out). 0 from a window on.
///    1 2 3 4 5 in the seconds 0 to 4, window 5 s: 3 at 4 s, 4 at 6 s ((3+4+5) / 3), 0 at 10 s.
///  * weighted-exponential: sum of value * a * (1-a)^age over the n buckets before now, not divided
///    by the sum of weights, not rounded; a = newest_weight(n). The first 10 in a window of 60 s
///    reads 2, the sixth 7.38. Up to 128 buckets it is added up in Knative's order, to the last
///    bit; in longer windows by recurrence, equal to Knative's to 1e-12 relative.
///  * peak: as linear; the caller records maxima.
///
/// Owner: the recording component. Pure. record and average allocate nothing and are O(1)
/// amortised, but for a weighted mean of up to 128 buckets, which takes a step for each.
class BucketWindow {
 public:
  /// `granularity` <= `window` is the length of a bucket.
  explicit BucketWindow(Duration window, Aggregation aggregation = Aggregation::kLinear,
                        Duration granularity = std::chrono::seconds(1));

  /// Adds `value` to the bucket of `at`. Values of one bucket add up, in this order.
  void record(TimePoint at, double value);

  double average(TimePoint now);

  /// Returns true if the last record is older than a window. At exactly a window after the newest
  /// record it is false, although the average is 0.
  bool is_empty(TimePoint now) const;

  /// Sets another length; keeps the newest buckets that both hold, or none if the window is empty.
  void resize(Duration window, TimePoint now);

  /// Sets another aggregation for the stored values.
  void set_aggregation(Aggregation aggregation);

 private:
  std::int64_t known_buckets(std::int64_t later) const;
  double sum_at(std::int64_t later);
  double linear(std::int64_t later);
  double weighted(std::int64_t later);
  double weighted_in_order(std::int64_t later) const;

  BucketRing ring_;
  Aggregation aggregation_;

  // The linear total `rolled_` buckets after the newest record, from which later reads without a
  // new record continue.
  std::int64_t rolled_ = 0;
  double rolled_total_ = 0;

  double newest_weight_;
  DecayingSum<double> sum_;  // of a weighted mean
};

}  // namespace bellows::metrics::knative
