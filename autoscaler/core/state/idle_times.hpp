// The newest idle times between requests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "autoscaler/core/state/rhythm.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The newest durations without requests, in seconds, in no order; of fixed size.
class IdleTimes {
 public:
  static constexpr std::size_t kKept = 32;
  using Durations = std::span<const float>;

  /// A request arrived at `load` and, if ever, at `before`. A duration of at most `min` is not an
  /// idle time, because it would push out those that matter.
  void record(TimePoint before, TimePoint load, Duration min);

  /// Returns the times from the last request to the next one.
  Durations idle_times() const { return {idle_times_.data(), size_}; }
  /// Returns the start of the newest busy period.
  TimePoint busy_since() const { return busy_since_; }
  bool has_seen_request() const { return has_seen_request_; }

  struct Known {
    float idle_time = 0;
    /// From the first request after an idle time to the first one after the next idle time: the
    /// period of a timer, however long its requests take.
    float period = 0;
    bool operator==(const Known&) const = default;
  };
  std::size_t size() const { return size_; }
  /// The oldest is [0].
  Known operator[](std::size_t i) const {
    const std::size_t place = (next_ + kKept - size_ + i) % kKept;
    return {idle_times_[place], periods_[place]};
  }
  std::vector<Known> oldest_first() const;
  /// The newest that fit are kept.
  void restore(std::span<const Known> oldest_first, TimePoint busy_since);

  /// Returns the last answer of find_rhythm() about these; nothing if it was not asked since the
  /// last change. It can be found again, so it is no part of the state that is compared or saved.
  const std::optional<FoundRhythm>& found() const { return found_; }
  void keep_found(const FoundRhythm& found) const { found_ = found; }

  bool operator==(const IdleTimes& other) const;

 private:
  void add(float idle_time, float period);

  std::array<float, kKept> idle_times_{};
  std::array<float, kKept> periods_{};
  std::uint8_t size_ = 0;
  std::uint8_t next_ = 0;
  bool has_seen_request_ = false;
  TimePoint busy_since_;
  mutable std::optional<FoundRhythm> found_;
};

}  // namespace bellows::autoscaler
