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

/// Tumbling: the window begins anew with the first sample after its end, and that sample is the
/// maximum: never 0. Until it comes the old maximum stands. Sliding: samples are kept in slices of
/// 1/64 of the window and leave together with their slice, so a maximum may stay up to 1/64 of a
/// window too long, and no history costs more than 65 slices. Samples of several replicas may come
/// slightly out of order.
///
/// A sample reads nothing but the object itself: what lies on the heap is only written to, and read
/// when it is full or somebody asks. With 100,000 containers each line of memory that is read is a
/// cache miss that is waited for.
class LocalMaximum {
 public:
  LocalMaximum(config::MaximumWindow kind, Duration window);

  /// True: a tumbling window began with this sample.
  bool add(double amount, WallTime at);
  /// The next sample begins a new tumbling window.
  void expire() { is_expired_ = true; }

  /// Nothing: nothing was seen, or not within a sliding window.
  std::optional<double> maximum(WallTime now) const;
  /// Whether there were samples that long ago already.
  bool has_watched(Duration duration, WallTime now) const {
    return first_ != WallTime::min() && now - first_ >= duration;
  }
  /// Whether there were samples a whole window ago already. A sliding window of which nothing was
  /// seen has not been watched, and is watched anew from the sample that ends such a gap.
  bool has_watched_a_window(WallTime now) const;

  void save(json::Writer& line, std::string_view key) const;
  Result<void> restore(const json::Object& object, std::string_view key);

 private:
  /// Sliding: the maximum of one slice. Tumbling: of the window.
  struct Entry {
    WallTime begin = WallTime::min();
    double amount = 0;
  };

  bool tumble(double amount, WallTime at);
  void slide(double amount, WallTime at);
  void put_away(const Entry& entry);
  void drop_irrelevant();
  bool is_empty() const { return newest_.begin == WallTime::min(); }
  /// Of a sliding window.
  bool is_within(const Entry& entry, WallTime now) const {
    return now - entry.begin <= window_ + slice();
  }
  Duration slice() const;

  config::MaximumWindow kind_;
  bool is_expired_ = false;
  Duration window_;
  WallTime first_ = WallTime::min();
  WallTime watched_since_ = WallTime::min();  // no gap of a whole window since then
  Entry newest_;
  std::vector<Entry>
      earlier_;  // sliding: slices before it, the oldest first, some irrelevant by now
};

}  // namespace bellows::recommender
