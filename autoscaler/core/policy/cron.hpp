// Cron expressions: "MINUTE HOUR DAY MONTH WEEKDAY" in the local time of a zone.
#pragma once

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <bitset>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Fields are numbers, ranges 1-5, steps */15, lists 1,3, and names (jan, mon). As in cron, a day
/// matches if the day of the month or the weekday does, where both are restricted. A local time
/// that the change to summer time skips is the instant of the change; of two, which the change back
/// gives, the first counts. Pure data.
class Cron {
 public:
  static Result<Cron> parse(std::string_view text);

  /// Returns the last match not after `at`, and the first after it; nothing within about eight
  /// years.
  std::optional<WallTime> last(const cctz::time_zone& zone, WallTime at) const {
    return nearest(zone, at, false);
  }
  std::optional<WallTime> next(const cctz::time_zone& zone, WallTime at) const {
    return nearest(zone, at, true);
  }

 private:
  std::optional<WallTime> nearest(const cctz::time_zone& zone, WallTime at, bool is_after) const;
  bool matches(const cctz::civil_day& day) const;
  /// Returns the match on that day that is the last not after `at`, or the first after it.
  std::optional<WallTime> on_day(const cctz::time_zone& zone, const cctz::civil_day& day,
                                 WallTime at, bool is_after) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  bool is_any_day_ = true;
  bool is_any_weekday_ = true;
};

}  // namespace bellows::autoscaler
