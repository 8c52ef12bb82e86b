// Decides when crashes double the CPU and memory of a container under the spike rule.
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
/// The time that the rule waits for its last recommendation to be applied.
inline constexpr Duration kCrashBackOff = std::chrono::minutes(5);

/// Doubles both resources after crashes, at most once for each doubling that was applied.
class CrashRule {
 public:
  void crashed() { ++crashes_; }
  /// Records that the request changed: the last doubling is in effect.
  void applied() { is_waiting_ = false; }

  /// Returns true in a crash loop, or after threshold-num-crashes crashes since it last returned
  /// true. Then it discards the crashes, and waits until the request changed or kCrashBackOff
  /// passed.
  bool fires(bool is_looping, WallTime now, const config::SpikeSettings& settings);
  /// Returns true while the last doubling is not applied and kCrashBackOff has not passed.
  bool is_waiting(WallTime now) const { return is_waiting_ && now - fired_ < kCrashBackOff; }

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);

 private:
  std::int64_t crashes_ = 0;
  bool is_waiting_ = false;
  WallTime fired_ = WallTime::min();
};

}  // namespace bellows::recommender
