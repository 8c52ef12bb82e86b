#include "metrics/knative/bucket_window.hpp"

#include <algorithm>

namespace bellows::metrics::knative {
namespace {

/// Windows of up to this number of buckets are summed in Knative's order, in less than 0.2 us.
constexpr std::int64_t kShort = 128;

DecayingSum<double> sum_for(std::int64_t buckets) {
  return {buckets, 1 - newest_weight(buckets)};
}

}  // namespace

BucketWindow::BucketWindow(Duration window, Aggregation aggregation, Duration granularity)
    : ring_(window, granularity),
      aggregation_(aggregation),
      newest_weight_(newest_weight(ring_.size())),
      sum_(sum_for(ring_.size())) {}

void BucketWindow::set_aggregation(Aggregation aggregation) {
  aggregation_ = aggregation;
}

void BucketWindow::record(TimePoint at, double value) {
  const std::int64_t bucket = ring_.bucket_of(at);
  const std::int64_t before = ring_.last_write();
  const BucketRing::Placed placed = ring_.record(bucket, value);
  rolled_ = 0;
  rolled_total_ = ring_.total();
  switch (placed) {
    case BucketRing::Placed::kTooOld:
      return;
    case BucketRing::Placed::kRestarted:
      return sum_.forget();
    case BucketRing::Placed::kLate:
      return sum_.add_late(bucket, ring_.last_write(), value);
    case BucketRing::Placed::kNewest:
      return sum_.add_newest(bucket - before, value);
  }
}

void BucketWindow::resize(Duration window, TimePoint now) {
  ring_.resize(window, ring_.bucket_of(now));
  rolled_ = 0;
  rolled_total_ = ring_.total();
  newest_weight_ = newest_weight(ring_.size());
  sum_ = sum_for(ring_.size());
}

bool BucketWindow::is_empty(TimePoint now) const {
  return !ring_.was_written() || ring_.exceeds_window(ring_.bucket_of(now) - ring_.last_write());
}

double BucketWindow::average(TimePoint now) {
  if (!ring_.was_written()) return 0;
  const std::int64_t later = std::max<std::int64_t>(ring_.bucket_of(now) - ring_.last_write(), 0);
  if (ring_.spans_window(later)) return 0;
  return aggregation_ == Aggregation::kWeightedExponential ? weighted(later) : linear(later);
}

/// Returns the number of buckets since the first record that are not rolled out `later` buckets
/// after the newest.
std::int64_t BucketWindow::known_buckets(std::int64_t later) const {
  return std::min(ring_.known(), ring_.size() - later);
}

double BucketWindow::sum_at(std::int64_t later) {
  const std::int64_t newest = ring_.last_write();
  return sum_.read(newest, newest + later,
                   [this](std::int64_t bucket) { return ring_.at(bucket); });
}

double BucketWindow::linear(std::int64_t later) {
  const auto known = static_cast<double>(known_buckets(later));
  if (later < rolled_) {
    rolled_ = 0;
    rolled_total_ = ring_.total();
  }
  while (rolled_ < later) {
    ++rolled_;
    rolled_total_ -= ring_.at(ring_.last_write() + rolled_ - ring_.size());
  }
  return rounded(rolled_total_ / known, AverageRounding::kSixDecimals);
}

/// Computes one product and one sum per bucket, the newest first.
double BucketWindow::weighted_in_order(std::int64_t later) const {
  const double newest = newest_weight_;
  double weight = newest * whole_power(1 - newest, later);
  double mean = 0;
  for (std::int64_t back = 0; back < ring_.size() - later; ++back) {
    mean += ring_.at(ring_.last_write() - back) * weight;
    weight *= 1 - newest;
  }
  return mean;
}

double BucketWindow::weighted(std::int64_t later) {
  if (ring_.size() <= kShort) return weighted_in_order(later);
  return sum_at(later) * newest_weight_;
}

}  // namespace bellows::metrics::knative
