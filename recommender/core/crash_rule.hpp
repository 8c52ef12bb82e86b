// Decides when crashes double the CPU and memory of a container.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/recommender_settings.hpp"

namespace bellows::json {
class Object;
class Writer;
}  // namespace bellows::json

namespace bellows::recommender {

inline constexpr double kCrashFactor = 2;

/// Doubles both resources after crashes, at most once for each doubling that was applied.
class CrashRule {
 public:
  void crashed() { ++crashes_; }
  /// Records that the request changed: the last doubling is in effect.
  void applied() { is_waiting_ = false; }

  /// Returns true in a crash loop, or after threshold-num-crashes crashes since it last returned
  /// true. Then it discards the crashes, and waits until the request changed or crash-back-off
  /// passed.
  bool fires(bool is_looping, WallTime now, const config::SpikeSettings& settings);
  /// Returns true while the last doubling is not applied and crash-back-off has not passed.
  bool is_waiting(WallTime now, const config::SpikeSettings& settings) const {
    return is_waiting_ && now - fired_ < settings.crash_back_off;
  }

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);

 private:
  std::int64_t crashes_ = 0;
  bool is_waiting_ = false;
  WallTime fired_ = WallTime::min();
};

/// The crash rule with a limited number of doublings per series of crashes, because crashes that
/// continue after them have another cause than the size. A day without crashes ends a series.
class CrashSeries {
 public:
  /// Records a crash. `max_doublings` is the limit of one series.
  void crashed(WallTime at, std::int32_t max_doublings, const config::SpikeSettings& settings);
  void loop_changed(WallTime at) { last_crash_ = at; }
  void applied() { rule_.applied(); }

  /// Returns true if the last series is over: its doublings are discarded.
  bool ends(bool is_looping, WallTime now);
  /// Returns true if both resources are to be doubled now, and counts it.
  bool doubles(bool is_looping, WallTime now, std::int32_t max_doublings,
               const config::SpikeSettings& settings);
  /// Returns true directly after the first doubling of a series.
  bool is_first_doubling() const { return doublings_ == 1; }
  /// Returns true if the container crashed with all doublings in effect.
  bool is_doubling_futile() const { return is_doubling_futile_; }

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);

 private:
  CrashRule rule_;
  std::int32_t doublings_ = 0;
  bool is_doubling_futile_ = false;
  WallTime last_crash_ = WallTime::min();
};

}  // namespace bellows::recommender
