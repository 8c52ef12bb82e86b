// Local time of a time zone, from the system's database (tzdata).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// A minute of a local calendar.
struct LocalMinute {
  std::int64_t year = 1970;
  int month = 1;    ///< 1 to 12
  int day = 1;      ///< 1 to 31
  int hour = 0;     ///< 0 to 23
  int minute = 0;   ///< 0 to 59
  int weekday = 4;  ///< 0 is Sunday
};

/// Its rules are read once by find(), and are constant from then on: the functions depend on their
/// arguments alone. Cheap to copy.
class TimeZone {
 public:
  /// "Europe/Berlin", "UTC". kMalformed if the database has none of that name.
  static Result<TimeZone> find(const std::string& name);

  LocalMinute local(WallTime at) const;
  /// The instant of a local time. One that the change to summer time skips is the instant of the
  /// change; of two, which the change back gives, the first.
  WallTime instant(std::int64_t year, int month, int day, int hour, int minute) const;
  /// The local day `days` later, at 0:00.
  static LocalMinute plus_days(const LocalMinute& day, int days);

  /// "Mon 08:00 Europe/Berlin".
  std::string text(WallTime at) const;

 private:
  struct Rules;
  std::string name_;
  std::shared_ptr<const Rules> rules_;  // owners: the copies of this zone
};

}  // namespace bellows::autoscaler
