#include "metrics/knative/bucket_ring.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"

namespace bellows::metrics::knative {

BucketRing::BucketRing(Duration window, Duration granularity)
    : window_(window), granularity_(granularity) {
  CHECK(granularity > Duration::zero() && window >= granularity, "a window holds a bucket");
  size_ = (window + granularity - Duration(1)) / granularity;
  slots_.resize(std::bit_ceil(static_cast<std::size_t>(size_)));
}

std::int64_t BucketRing::bucket_of(TimePoint at) const {
  const Duration since = at.time_since_epoch();
  const auto whole = since / granularity_;
  return since < whole * granularity_ ? whole - 1 : whole;
}

BucketRing::Placed BucketRing::record(std::int64_t bucket, double value) {
  Placed placed = Placed::kNewest;
  if (!was_written_ || spans_window(bucket - last_write_)) {
    restart(bucket);
    placed = Placed::kRestarted;
  } else if (bucket < last_write_) {
    if (spans_window(last_write_ - bucket)) return Placed::kTooOld;
    placed = Placed::kLate;
  }
  if (bucket != last_write_) first_write_ = std::min(first_write_.value_or(bucket), bucket);
  for (; last_write_ < bucket; ++last_write_) {
    double& leaving = slots_[index(last_write_ + 1 - size_)];
    total_ -= leaving;
    leaving = 0;
  }
  slots_[index(bucket)] += value;
  total_ += value;
  return placed;
}

void BucketRing::restart(std::int64_t bucket) {
  std::fill(slots_.begin(), slots_.end(), 0);
  total_ = 0;
  was_written_ = true;
  first_write_ = last_write_ = bucket;
}

void BucketRing::resize(Duration window, std::int64_t now) {
  if (window == window_) return;
  BucketRing resized(window, granularity_);
  resized.was_written_ = was_written_;
  resized.last_write_ = last_write_;
  if (was_written_ && !exceeds_window(now - last_write_)) {
    resized.first_write_ = last_write_ - (size_ - 1);
    for (std::int64_t back = 0; back < std::min(size_, resized.size_); ++back) {
      resized.slots_[resized.index(last_write_ - back)] = at(last_write_ - back);
      resized.total_ += at(last_write_ - back);
    }
  }
  *this = std::move(resized);
}

}  // namespace bellows::metrics::knative
