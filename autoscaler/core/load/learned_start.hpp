// How long a start takes, learned from earlier starts.
#pragma once

#include <chrono>
#include <optional>

#include "base/time.hpp"

namespace bellows::autoscaler {

/// A mean in which each new start has a weight of a quarter: a new image or node is learned within
/// a few starts, and one slow image pull does not dominate.
class LearnedStart {
 public:
  void add(Duration start) {
    if (start < Duration::zero()) return;
    if (usual_) spread_ += (std::chrono::abs(start - *usual_) - spread_) / 4;
    usual_ = usual_ ? *usual_ + (start - *usual_) / 4 : start;
  }
  /// Nothing before the first.
  std::optional<Duration> usual() const { return usual_; }
  /// The mean deviation from it, learned as fast.
  Duration spread() const { return spread_; }

 private:
  std::optional<Duration> usual_;
  Duration spread_{};
};

}  // namespace bellows::autoscaler
