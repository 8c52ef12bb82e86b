#include "autoscaler/core/policy/cron.hpp"

#include <array>
#include <charconv>
#include <vector>

namespace bellows::autoscaler {
namespace {

constexpr int kMaxDays = 8 * 366;  // 29 February, across a century without one

struct FieldRange {
  std::string_view name;
  int min;
  int max;
  std::string_view names;  // three letters each, from min on
};

constexpr std::array<FieldRange, 5> kFields = {{
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day", 1, 31, ""},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"weekday", 0, 7, "sunmontuewedthufrisat"},
}};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> number(std::string_view text, const FieldRange& field) {
  if (text.size() == 3 && !field.names.empty()) {
    std::string lower;
    for (const char letter : text) lower += static_cast<char>(letter | 0x20);
    const auto at = field.names.find(lower);
    if (at != std::string_view::npos && at % 3 == 0) return static_cast<int>(at / 3) + field.min;
  }
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
  if (value < field.min || value > field.max) return {};
  return value;
}

/// Marks the values of one part: 5, 1-5, *, */15, 1-30/2. False if it is invalid.
bool mark(std::string_view part, const FieldRange& field, std::array<bool, 60>& marked) {
  const auto slash = part.find('/');
  int step = 1;
  if (slash != std::string_view::npos) {
    const std::string_view text = part.substr(slash + 1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), step);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || step < 1) return false;
    part = part.substr(0, slash);
  }
  int from = field.min;
  int to = field.name == "weekday" ? 6 : field.max;
  if (part != "*") {
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, dash), field);
    if (!first) return false;
    from = *first;
    const bool is_single = dash == std::string_view::npos && slash == std::string_view::npos;
    if (is_single) to = from;
    if (dash != std::string_view::npos) {
      const auto last = number(part.substr(dash + 1), field);
      if (!last || *last < from) return false;
      to = *last;
    }
  }
  for (int value = from; value <= to; value += step) {
    marked.at(static_cast<std::size_t>(field.name == "weekday" ? value % 7 : value)) = true;
  }
  return true;
}

template <std::size_t size>
bool read_field(std::string_view text, const FieldRange& field, std::bitset<size>& values) {
  std::array<bool, 60> marked{};
  for (const std::string_view part : split(text, ',')) {
    if (!mark(part, field, marked)) return false;
  }
  for (std::size_t i = 0; i < size && i < marked.size(); ++i) values.set(i, marked.at(i));
  return true;
}

tl::unexpected<Error> invalid(std::string_view text, std::string_view part,
                              const FieldRange& field) {
  return fail(ErrorKind::kMalformed, "cron",
              "\"" + std::string(text) + "\": the " + std::string(field.name) + " is \"" +
                  std::string(part) + "\", want numbers from " + std::to_string(field.min) +
                  " to " + std::to_string(field.max) + ", as in 5, 1-5, */15 or 1,3");
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(text, ' ')) {
    if (!part.empty()) parts.push_back(part);
  }
  if (parts.size() != kFields.size()) {
    return fail(ErrorKind::kMalformed, "cron",
                "\"" + std::string(text) +
                    "\": want five fields: minute hour day month weekday, as in 0 8 * * mon-fri");
  }
  Cron cron;
  const std::array<bool, 5> are_valid = {read_field(parts[0], kFields[0], cron.minutes_),
                                         read_field(parts[1], kFields[1], cron.hours_),
                                         read_field(parts[2], kFields[2], cron.days_),
                                         read_field(parts[3], kFields[3], cron.months_),
                                         read_field(parts[4], kFields[4], cron.weekdays_)};
  for (std::size_t i = 0; i < are_valid.size(); ++i) {
    if (!are_valid.at(i)) return invalid(text, parts[i], kFields.at(i));
  }
  cron.is_any_day_ = parts[2] == "*";
  cron.is_any_weekday_ = parts[4] == "*";
  return cron;
}

bool Cron::matches(const cctz::civil_day& day) const {
  if (!months_.test(static_cast<std::size_t>(day.month()))) return false;
  // cctz counts from Monday.
  const int weekday = (static_cast<int>(cctz::get_weekday(day)) + 1) % 7;
  const bool by_day = days_.test(static_cast<std::size_t>(day.day()));
  const bool by_weekday = weekdays_.test(static_cast<std::size_t>(weekday));
  if (is_any_day_ || is_any_weekday_) return by_day && by_weekday;
  return by_day || by_weekday;
}

std::optional<WallTime> Cron::on_day(const cctz::time_zone& zone, const cctz::civil_day& day,
                                     WallTime at, bool is_after) const {
  const int minutes = 24 * 60;
  for (int i = 0; i < minutes; ++i) {
    const int minute = is_after ? i : minutes - 1 - i;
    const bool is_hour = hours_.test(static_cast<std::size_t>(minute / 60));
    if (!is_hour || !minutes_.test(static_cast<std::size_t>(minute % 60))) continue;
    const auto found = zone.lookup(cctz::civil_second(day) + minute * 60);
    const bool is_skipped = found.kind == cctz::time_zone::civil_lookup::SKIPPED;
    const WallTime match = is_skipped ? found.trans : found.pre;
    if (is_after ? match > at : match <= at) return match;
  }
  return std::nullopt;
}

std::optional<WallTime> Cron::nearest(const cctz::time_zone& zone, WallTime at,
                                      bool is_after) const {
  cctz::civil_day day(zone.lookup(std::chrono::floor<cctz::seconds>(at)).cs);
  for (int days = 0; days < kMaxDays; ++days, day += is_after ? 1 : -1) {
    if (!matches(day)) continue;
    if (const auto match = on_day(zone, day, at, is_after)) return match;
  }
  return std::nullopt;
}

}  // namespace bellows::autoscaler
