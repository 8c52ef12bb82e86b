// Limits how often something is done, for log lines that others can cause.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.hpp"

namespace bellows {

/// A token bucket: it allows `burst` at once, then one per `interval`, and counts what it refuses.
/// Pure; `now` never decreases.
class RateLimit {
 public:
  RateLimit(std::int32_t burst, Duration interval)
      : burst_(burst), interval_(interval), tokens_(burst) {}

  /// Takes a token; returns false if none is left.
  bool allow(TimePoint now) {
    if (!last_) last_ = now;
    const auto earned = (now - *last_) / interval_;
    if (earned > 0) {
      tokens_ = static_cast<std::int32_t>(std::min<std::int64_t>(burst_, tokens_ + earned));
      *last_ += earned * interval_;
    }
    if (tokens_ == 0) {
      ++refused_;
      return false;
    }
    --tokens_;
    return true;
  }

  /// Returns the number of refusals since the last call.
  std::uint64_t take_refused() { return std::exchange(refused_, 0); }

 private:
  std::int32_t burst_;
  Duration interval_;
  std::int32_t tokens_;
  std::optional<TimePoint> last_;
  std::uint64_t refused_ = 0;
};

}  // namespace bellows
