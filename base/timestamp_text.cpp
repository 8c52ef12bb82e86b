#include "base/timestamp_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace bellows {

namespace {

/// Removes exactly `digits` digits and then `end` (0: nothing) from the beginning of `text`.
std::optional<int> take(std::string_view& text, std::size_t digits, char end) {
  int number = 0;
  if (text.size() < digits + (end == 0 ? 0 : 1)) return std::nullopt;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + digits, number);
  if (code != std::errc() || stop != text.data() + digits || number < 0) return std::nullopt;
  text.remove_prefix(digits);
  if (end == 0) return number;
  if (text.front() != end) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

std::optional<Duration> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return Duration::zero();
  text.remove_prefix(1);
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMaxDigits) return std::nullopt;
  auto nanoseconds = take(text, digits, 0);
  if (!nanoseconds) return std::nullopt;
  for (std::size_t i = digits; i < kMaxDigits; ++i) *nanoseconds *= 10;
  return Duration(*nanoseconds);
}

}  // namespace

std::string timestamp_text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

std::string micro_timestamp_text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto fraction = std::chrono::floor<std::chrono::microseconds>(time - seconds);
  std::string text = timestamp_text(seconds);
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), ".%06dZ", static_cast<int>(fraction.count()));
  text.replace(text.size() - 1, 1, digits.data());
  return text;
}

std::optional<WallTime> parse_timestamp(std::string_view text) {
  const auto year = take(text, 4, '-');
  const auto month = take(text, 2, '-');
  const auto day = take(text, 2, 'T');
  const auto hour = take(text, 2, ':');
  const auto minute = take(text, 2, ':');
  const auto second = take(text, 2, 0);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const auto fraction = take_fraction(text);
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  constexpr int kFirstYear = 1700;  // WallTime holds 1677 to 2262
  constexpr int kLastYear = 2250;
  if (!fraction || text != "Z" || !date.ok() || *year < kFirstYear || *year > kLastYear ||
      *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(*hour) +
         std::chrono::minutes(*minute) + std::chrono::seconds(*second) + *fraction;
}

}  // namespace bellows
