#include "cli/explain/time_spec.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "base/duration_text.hpp"

namespace bellows::cli {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

/// Reads fields from the front of a text, up to the first one that does not match.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  /// Reads a number of exactly `digits` digits, from `min` to `max`.
  int number(std::size_t digits, int min, int max) {
    int value = 0;
    const bool is_long_enough = rest_.size() >= digits;
    const char* end = rest_.data() + (is_long_enough ? digits : 0);
    const auto read = std::from_chars(rest_.data(), end, value);
    if (!is_long_enough || read.ptr != end || rest_.starts_with('-')) matches_ = false;
    if (value < min || value > max) matches_ = false;
    rest_.remove_prefix(matches_ ? digits : rest_.size());
    return matches_ ? value : min;
  }
  /// Reads one character of `letters`. Returns true if there was one.
  bool read_one_of(std::string_view letters) {
    if (rest_.empty() || letters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void require_one_of(std::string_view letters) {
    if (!read_one_of(letters)) matches_ = false;
  }
  /// Reads ".25", or nothing.
  Duration fraction() {
    Duration fraction{};
    if (!read_one_of(".")) return fraction;
    Duration digit = std::chrono::milliseconds(100);
    do {
      fraction += number(1, 0, 9) * digit;
      digit /= 10;
    } while (matches_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9');
    return fraction;
  }
  bool is_at_end() const { return rest_.empty(); }
  bool matched() const { return matches_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool matches_ = true;
};

Duration time_of_day(TimeScanner& scanner) {
  Duration time = std::chrono::hours(scanner.number(2, 0, 23));
  scanner.require_one_of(":");
  time += std::chrono::minutes(scanner.number(2, 0, 59));
  if (!scanner.read_one_of(":")) return time;
  time += std::chrono::seconds(scanner.number(2, 0, 59));
  return time + scanner.fraction();
}

std::optional<WallTime> as_time_of_day(std::string_view text, WallTime now, Duration utc_offset) {
  TimeScanner scanner(text);
  const Duration time = time_of_day(scanner);
  if (!scanner.matched()) return std::nullopt;
  const std::chrono::sys_days today = std::chrono::floor<std::chrono::days>(now + utc_offset);
  const WallTime instant = WallTime(today) + time - utc_offset;
  return instant <= now ? instant : instant - kDay;
}

std::optional<WallTime> as_date_and_time(std::string_view text, Duration utc_offset) {
  TimeScanner scanner(text);
  const int year = scanner.number(4, 1970, 2200);
  scanner.require_one_of("-");
  const int month = scanner.number(2, 1, 12);
  scanner.require_one_of("-");
  const int day = scanner.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  scanner.require_one_of("Tt ");
  const Duration time = time_of_day(scanner);
  Duration zone = utc_offset;
  if (scanner.read_one_of("Zz")) {
    zone = Duration::zero();
  } else if (!scanner.is_at_end()) {
    const int sign = scanner.read_one_of("-") ? -1 : (scanner.require_one_of("+"), 1);
    zone = sign * std::chrono::hours(scanner.number(2, 0, 23));
    scanner.require_one_of(":");
    zone += sign * std::chrono::minutes(scanner.number(2, 0, 59));
  }
  if (!scanner.matched() || !date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + time - zone;
}

std::optional<WallTime> as_ago(std::string_view text, WallTime now) {
  if (!text.starts_with('-')) return std::nullopt;
  const auto duration = parse_duration(text.substr(1));
  if (!duration) return std::nullopt;
  return now - *duration;
}

}  // namespace

Result<WallTime> parse_time_spec(std::string_view text, WallTime now, Duration utc_offset) {
  if (const auto instant = as_ago(text, now)) return *instant;
  if (const auto instant = as_time_of_day(text, now, utc_offset)) return *instant;
  if (const auto instant = as_date_and_time(text, utc_offset)) return *instant;
  return fail(ErrorKind::kInvalidSetting, "--at",
              "\"" + std::string(text) +
                  "\": want a time of day (14:03:05), a duration ago (-30s), date and time "
                  "(2026-11-21T14:03:05, followed by Z or +01:00 if it is not local), or seconds "
                  "as in the \"at\" of a journal (12.5s)");
}

std::string local_time_text(WallTime instant, WallTime now, Duration utc_offset) {
  const auto second = std::chrono::floor<std::chrono::seconds>(instant + utc_offset);
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(second - day);
  std::array<char, 40> text{};
  std::size_t length = 0;
  if (day != std::chrono::floor<std::chrono::days>(now + utc_offset)) {
    length = static_cast<std::size_t>(
        std::snprintf(text.data(), text.size(), "%04d-%02u-%02u ", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())));
  }
  std::snprintf(text.data() + length, text.size() - length, "%02d:%02d:%02d",
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

}  // namespace bellows::cli
