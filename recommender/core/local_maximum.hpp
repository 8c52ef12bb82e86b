// The highest usage within a window of time, tumbling or sliding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/recommender_settings.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

/// Tumbling: a new window begins with the first sample after its end, and that sample is the
/// maximum, so that it is never 0. Until then the old maximum stays. Sliding: samples are kept in
/// slices of 1/64 of the window and expire together with their slice, so a maximum may stay up to
/// 1/64 of a window too long and memory is bounded by 65 slices. Samples of several replicas may be
/// slightly out of order.
///
/// Adding a sample reads only the object itself: heap entries are only written, and read when the
/// vector is full or maximum() is called. With 100,000 containers each cache line that is read is a
/// cache miss.
class LocalMaximum {
 public:
  LocalMaximum(config::MaximumWindow kind, Duration window);

  void add(double amount, WallTime at);

  /// Returns nullopt if there was no sample, or none within a sliding window.
  std::optional<double> maximum(WallTime now) const;
  /// Returns true if there are samples of a whole window. A gap of a whole sliding window restarts
  /// this with the sample after it.
  bool has_full_window(WallTime now) const;

  void save(json::Writer& line, std::string_view key) const;
  Result<void> restore(const json::Object& object, std::string_view key);

 private:
  /// Sliding: the maximum of one slice. Tumbling: that of the window.
  struct Entry {
    WallTime begin = WallTime::min();
    double amount = 0;
  };

  void tumble(double amount, WallTime at);
  void slide(double amount, WallTime at);
  void store(const Entry& entry);
  void prune();
  bool is_empty() const { return newest_.begin == WallTime::min(); }
  /// Returns true if the entry is within the sliding window.
  bool is_within(const Entry& entry, WallTime now) const {
    return now - entry.begin <= window_ + slice();
  }
  Duration slice() const;

  config::MaximumWindow kind_;
  Duration window_;
  WallTime gap_free_since_ = WallTime::min();  // without a gap of a whole window
  Entry newest_;
  std::vector<Entry> earlier_;  // sliding: earlier slices, the oldest first; some may be irrelevant
};

}  // namespace bellows::recommender
