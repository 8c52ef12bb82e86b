#include "autoscaler/core/policy/time_zone.hpp"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <utility>

namespace bellows::autoscaler {
namespace {

std::chrono::time_point<std::chrono::system_clock, cctz::seconds> whole(WallTime at) {
  return std::chrono::floor<cctz::seconds>(at);
}

int weekday_of(const cctz::civil_day& day) {
  // cctz counts from Monday.
  return (static_cast<int>(cctz::get_weekday(day)) + 1) % 7;
}

}  // namespace

struct TimeZone::Rules {
  cctz::time_zone zone;
};

Result<TimeZone> TimeZone::find(const std::string& name) {
  auto rules = std::make_shared<Rules>();
  const bool is_name = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos;
  if (!is_name || !cctz::load_time_zone(name, &rules->zone)) {
    return fail(ErrorKind::kMalformed, "timezone",
                "\"" + name + "\": want a name of the time zone database, Europe/Berlin");
  }
  TimeZone found;
  found.name_ = name;
  found.rules_ = std::move(rules);
  return found;
}

LocalMinute TimeZone::local(WallTime at) const {
  const cctz::civil_second time = rules_->zone.lookup(whole(at)).cs;
  return {time.year(), time.month(),  time.day(),
          time.hour(), time.minute(), weekday_of(cctz::civil_day(time))};
}

std::string TimeZone::text(WallTime at) const {
  return cctz::format("%a %H:%M ", whole(at), rules_->zone) + name_;
}

WallTime TimeZone::instant(std::int64_t year, int month, int day, int hour, int minute) const {
  const auto found = rules_->zone.lookup(cctz::civil_second(year, month, day, hour, minute, 0));
  return found.kind == cctz::time_zone::civil_lookup::SKIPPED ? found.trans : found.pre;
}

LocalMinute TimeZone::plus_days(const LocalMinute& day, int days) {
  const cctz::civil_day moved = cctz::civil_day(day.year, day.month, day.day) + days;
  return {moved.year(), moved.month(), moved.day(), 0, 0, weekday_of(moved)};
}

}  // namespace bellows::autoscaler
