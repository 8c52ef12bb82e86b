// Knative's ring of buckets: it defines which values a window holds, and how late and missing ones
// are treated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"

namespace bellows::metrics::knative {

/// Buckets of equal length on the time line. Buckets without a record between two records are
/// zeros, a record that is too old is dropped, a late one is added to its bucket. `total` is kept
/// by adding and subtracting doubles in Knative's order, rounding included (knative.md 1.3;
/// knative/serving 98e5ef90, pkg/autoscaler/aggregation/bucketing.go).
///
/// Example, window 5 s: 1 at 0 s, 2 at 2 s, 4 at 1 s. Buckets 1 4 2, total 7. Then 8 at 6 s: the
/// buckets of 3, 4 and 5 s are zeros, those of 0 and 1 s have left, total 2 + 8.
class BucketRing {
 public:
  BucketRing(Duration window, Duration granularity);

  /// Effect of a record on the ring.
  enum class Placed : std::uint8_t {
    kTooOld,     ///< none
    kLate,       ///< changed an older bucket
    kNewest,     ///< changed the newest bucket, which may be a new one
    kRestarted,  ///< cleared everything first: no record for a window, or ever
  };
  Placed record(std::int64_t bucket, double value);

  /// Keeps the newest buckets that both lengths hold. From then on the data count as old as the
  /// previous window was long, even if they are younger, as in Knative. If the last record is older
  /// than the previous window at `now`, all buckets become zeros and the first record is forgotten;
  /// the instant of the last one stays, so a longer window is not empty.
  void resize(Duration window, std::int64_t now);

  /// Returns the bucket of an instant.
  std::int64_t bucket_of(TimePoint at) const;

  bool was_written() const { return was_written_; }
  /// Returns the number of buckets from the first record to the last; all that the window has if
  /// the first is not known.
  std::int64_t known() const { return first_write_ ? last_write_ - *first_write_ + 1 : size_; }
  std::int64_t last_write() const { return last_write_; }
  std::int64_t size() const { return size_; }  ///< number of buckets
  double total() const { return total_; }

  /// Returns the value of a bucket in (last_write - size, last_write].
  double at(std::int64_t bucket) const { return slots_[index(bucket)]; }

  /// Returns true if the window is empty after `buckets`; Knative's "empty" starts one bucket
  /// later.
  bool spans_window(std::int64_t buckets) const { return buckets * granularity_ >= window_; }
  bool exceeds_window(std::int64_t buckets) const { return buckets * granularity_ > window_; }

 private:
  std::size_t index(std::int64_t bucket) const {
    return static_cast<std::size_t>(bucket) & (slots_.size() - 1);
  }
  void restart(std::int64_t bucket);

  Duration window_;
  Duration granularity_;
  std::int64_t size_;
  bool was_written_ = false;
  // A bucket; nullopt before the first record, and after a resize that keeps none until the next
  // record in another bucket than the last one.
  std::optional<std::int64_t> first_write_;
  std::int64_t last_write_ = 0;
  double total_ = 0;
  std::vector<double> slots_;  // bucket b is at b modulo the size, a power of two >= size_
};

}  // namespace bellows::metrics::knative
