// The highest usage within a window of time, tumbling or sliding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/recommender_settings.hpp"

namespace bellows::replay {
class JsonLine;
class Object;
}  // namespace bellows::replay

namespace bellows::recommender {

/// Tumbling: the window begins anew with the first sample after its end, and that sample is the
/// maximum: never 0. Sliding: samples are kept in slices of 1/64 of the window and leave together
/// with their slice, so a maximum may stay up to 1/64 of a window too long, and no history costs
/// more than 65 entries. Samples of several replicas may come slightly out of order.
class LocalMaximum {
 public:
  LocalMaximum(config::MaximumWindow kind, Duration window);

  /// True: a tumbling window began with this sample.
  bool add(double amount, WallTime at);
  /// The next sample begins a new tumbling window.
  void expire() { is_expired_ = true; }

  /// Nothing was seen within the window.
  std::optional<double> maximum(WallTime now) const;
  /// Whether there were samples that long ago already.
  bool has_watched(Duration span, WallTime now) const {
    return first_ != WallTime::min() && now - first_ >= span;
  }
  /// Whether there were samples a whole window ago already. A sliding window of which nothing was
  /// seen has not been watched, and is watched anew from the sample that ends such a gap.
  bool has_watched_a_window(WallTime now) const;

  void save(replay::JsonLine& line, std::string_view key) const;
  Result<void> restore(const replay::Object& object, std::string_view key);

 private:
  /// Sliding: the maximum of one slice and what follows it is lower. Tumbling: the only entry.
  struct Entry {
    WallTime begin;
    double amount = 0;
  };

  config::MaximumWindow kind_;
  bool is_expired_ = false;
  Duration window_;
  Duration slice_;
  WallTime first_ = WallTime::min();
  WallTime watched_since_ = WallTime::min();  // no gap of a whole window since then
  std::vector<Entry> entries_;                // the oldest first, amounts falling
};

}  // namespace bellows::recommender
