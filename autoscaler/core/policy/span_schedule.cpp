#include "autoscaler/core/policy/span_schedule.hpp"

#include <algorithm>
#include <array>

#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kShortest = std::chrono::minutes(1);
constexpr Duration kLongest = std::chrono::hours(24 * 366);

Result<Cron> read_cron(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const std::string text, object.text(key));
  auto cron = Cron::parse(text);
  if (cron) return cron;
  return fail(cron.error().kind(), object.invalid(key, "a cron expression").culprit(),
              cron.error().message());
}

std::string two_digits(int number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

Result<RepeatedSpan> RepeatedSpan::read(const json::Object& object) {
  RepeatedSpan span;
  BELLOWS_TRY(span.from_, read_cron(object, "from"));
  if (object.has("to") == object.has("for")) {
    return fail(object.invalid("to", "a cron expression, or for with a time, and not both"));
  }
  if (object.has("to")) {
    BELLOWS_TRY(span.to_, read_cron(object, "to"));
    return span;
  }
  BELLOWS_TRY(span.length_, object.seconds("for"));
  if (span.length_ >= kShortest && span.length_ <= kLongest) return span;
  return fail(object.invalid(
      "for", "a time from " + duration_text(kShortest) + " to " + duration_text(kLongest)));
}

bool RepeatedSpan::holds(const TimeZone& zone, WallTime at) const {
  const auto began = from_.last(zone, at);
  if (!began) return false;
  if (!to_) return at < *began + length_;
  const auto ended = to_->last(zone, at);
  return !ended || *began > *ended;
}

std::optional<WallTime> RepeatedSpan::next_change(const TimeZone& zone, WallTime at) const {
  std::optional<WallTime> change = from_.next(zone, at);
  std::optional<WallTime> end;
  if (to_) {
    end = to_->next(zone, at);
  } else if (const auto began = from_.last(zone, at); began && *began + length_ > at) {
    end = *began + length_;
  }
  if (!change || (end && *end < *change)) change = end;
  return change;
}

HeldSpan HeldSpan::of(const RepeatedSpan& span, const TimeZone& zone, WallTime at) {
  return {.from = at,
          .until = span.next_change(zone, at).value_or(WallTime::max()),
          .holds = span.holds(zone, at)};
}

Result<TimeZone> read_zone(const json::Object& object) {
  std::string name = "UTC";
  if (object.has("timezone")) {
    BELLOWS_TRY(name, object.text("timezone"));
  }
  auto zone = TimeZone::find(name);
  if (zone) return zone;
  return fail(object.invalid("timezone", "a name of the time zone database, Europe/Berlin"));
}

std::string local_text(const TimeZone& zone, WallTime at) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  const LocalMinute local = zone.local(at);
  return std::string(kDays.at(static_cast<std::size_t>(local.weekday))) + " " +
         two_digits(local.hour) + ":" + two_digits(local.minute) + " " + zone.name();
}

}  // namespace bellows::autoscaler
