#include "autoscaler/core/policy/span_schedule.hpp"

#include <string_view>

#include "autoscaler/core/policy/parameters.hpp"

namespace bellows::autoscaler {
namespace {

Result<Cron> read_cron(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const std::string text, object.text(key));
  auto cron = Cron::parse(text);
  if (cron) return cron;
  return fail(cron.error().kind(), object.invalid(key, "a cron expression").culprit(),
              cron.error().message());
}

}  // namespace

Result<RepeatedSpan> RepeatedSpan::read(const json::Object& object, cctz::time_zone zone) {
  RepeatedSpan span;
  span.zone_ = zone;
  BELLOWS_TRY(span.from_, read_cron(object, "from"));
  if (object.has("to") == object.has("for")) {
    return fail(object.invalid("to", "a cron expression, or for with a time, and not both"));
  }
  if (object.has("to")) {
    BELLOWS_TRY(span.to_, read_cron(object, "to"));
    return span;
  }
  const auto year = std::chrono::hours(24 * 366);
  BELLOWS_TRY(span.length_, time_of(object, "for", std::chrono::minutes(1), year));
  return span;
}

bool RepeatedSpan::holds(WallTime at) const {
  const auto began = from_.last(zone_, at);
  if (!began) return false;
  if (!to_) return at < *began + length_;
  const auto ended = to_->last(zone_, at);
  return !ended || *began > *ended;
}

std::optional<WallTime> RepeatedSpan::next_change(WallTime at) const {
  std::optional<WallTime> change = from_.next(zone_, at);
  std::optional<WallTime> end;
  if (to_) {
    end = to_->next(zone_, at);
  } else if (const auto began = from_.last(zone_, at); began && *began + length_ > at) {
    end = *began + length_;
  }
  if (!change || (end && *end < *change)) change = end;
  return change;
}

/// Returns true for names of the time zone database. cctz opens files by other ones: "/x", "../x",
/// "file:x".
bool is_zone_name(std::string_view name) {
  constexpr std::string_view kInNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_-+";
  return !name.empty() && name.front() != '/' &&
         name.find_first_not_of(kInNames) == std::string_view::npos;
}

Result<cctz::time_zone> read_zone(const json::Object& object) {
  std::string name = "UTC";
  if (object.has("timezone")) {
    BELLOWS_TRY(name, object.text("timezone"));
  }
  cctz::time_zone zone;
  if (is_zone_name(name) && cctz::load_time_zone(name, &zone)) return zone;
  return fail(object.invalid("timezone", "a name of the time zone database, Europe/Berlin"));
}

std::string local_text(cctz::time_zone zone, WallTime at) {
  return cctz::format("%a %H:%M ", std::chrono::floor<cctz::seconds>(at), zone) + zone.name();
}

}  // namespace bellows::autoscaler
