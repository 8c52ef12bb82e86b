// How long nobody called, the last times.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler {

/// The newest times without calls, in seconds, in no order; of fixed size.
class Gaps {
 public:
  static constexpr std::size_t kKept = 16;
  using Spans = std::span<const float>;

  /// A call is seen at `load`; before that, if ever, at `before`. What is not longer than `least`
  /// is no gap: it would push out those that matter.
  void record(TimePoint before, TimePoint load, Duration min);

  /// From the last call to the next one.
  Spans gaps() const { return {gaps_.data(), size_}; }
  /// From the first call after a gap to the first one after the next: what a timer keeps to,
  /// however long its calls take and wait.
  Spans periods() const { return {periods_.data(), size_}; }
  /// When the calls began that are the newest.
  TimePoint begun() const { return begun_; }
  bool has_seen_a_call() const { return has_seen_a_call_; }

  struct Known {
    float gap = 0;
    float period = 0;
    bool operator==(const Known&) const = default;
  };
  std::vector<Known> oldest_first() const;
  /// The newest that fit are kept.
  void restore(std::span<const Known> oldest_first, TimePoint begun);

  bool operator==(const Gaps& other) const;

 private:
  void add(float gap, float period);

  std::array<float, kKept> gaps_{};
  std::array<float, kKept> periods_{};
  std::uint8_t size_ = 0;
  std::uint8_t next_ = 0;
  bool has_seen_a_call_ = false;
  TimePoint begun_;
};

}  // namespace bellows::autoscaler
