#include "cli/explain/moment.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "base/duration_text.hpp"

namespace bellows::cli {
namespace {

using Days = std::chrono::time_point<std::chrono::system_clock, std::chrono::days>;

constexpr Duration kDay = std::chrono::hours(24);

/// Takes pieces off the front of a text; once one did not fit, nothing fits any more.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  /// Exactly `digits` of them, from `least` to `most`.
  int number(std::size_t digits, int min, int max) {
    int value = 0;
    const bool is_long_enough = rest_.size() >= digits;
    const char* end = rest_.data() + (is_long_enough ? digits : 0);
    const auto read = std::from_chars(rest_.data(), end, value);
    if (!is_long_enough || read.ptr != end || rest_.starts_with('-')) fits_ = false;
    if (value < min || value > max) fits_ = false;
    rest_.remove_prefix(fits_ ? digits : rest_.size());
    return fits_ ? value : min;
  }
  /// True if one of `letters` came, which is taken off.
  bool any_of(std::string_view letters) {
    if (rest_.empty() || letters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void must_be(std::string_view letters) {
    if (!any_of(letters)) fits_ = false;
  }
  /// ".25" or nothing.
  Duration fraction() {
    Duration duration{};
    if (!any_of(".")) return duration;
    Duration digit = std::chrono::milliseconds(100);
    do {
      duration += number(1, 0, 9) * digit;
      digit /= 10;
    } while (fits_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9');
    return duration;
  }
  bool is_at_end() const { return rest_.empty(); }
  bool fit() const { return fits_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

Duration time_of_day(Pieces& pieces) {
  Duration time = std::chrono::hours(pieces.number(2, 0, 23));
  pieces.must_be(":");
  time += std::chrono::minutes(pieces.number(2, 0, 59));
  if (!pieces.any_of(":")) return time;
  time += std::chrono::seconds(pieces.number(2, 0, 59));
  return time + pieces.fraction();
}

std::optional<WallTime> as_time_of_day(std::string_view text, WallTime now, Duration ahead) {
  Pieces pieces(text);
  const Duration time = time_of_day(pieces);
  if (!pieces.fit()) return std::nullopt;
  const Days today = std::chrono::floor<std::chrono::days>(now + ahead);
  const WallTime moment = WallTime(today) + time - ahead;
  return moment <= now ? moment : moment - kDay;
}

std::optional<WallTime> as_date_and_time(std::string_view text, Duration ahead) {
  Pieces pieces(text);
  const int year = pieces.number(4, 1970, 2200);
  pieces.must_be("-");
  const int month = pieces.number(2, 1, 12);
  pieces.must_be("-");
  const int day = pieces.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  pieces.must_be("Tt ");
  const Duration time = time_of_day(pieces);
  Duration zone = ahead;
  if (pieces.any_of("Zz")) {
    zone = Duration::zero();
  } else if (!pieces.is_at_end()) {
    const int sign = pieces.any_of("-") ? -1 : (pieces.must_be("+"), 1);
    zone = sign * std::chrono::hours(pieces.number(2, 0, 23));
    pieces.must_be(":");
    zone += sign * std::chrono::minutes(pieces.number(2, 0, 59));
  }
  if (!pieces.fit() || !date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + time - zone;
}

std::optional<WallTime> as_ago(std::string_view text, WallTime now) {
  if (!text.starts_with('-')) return std::nullopt;
  const auto duration = parse_duration(text.substr(1));
  if (!duration) return std::nullopt;
  return now - *duration;
}

}  // namespace

Result<WallTime> parse_moment(std::string_view text, WallTime now, Duration ahead) {
  if (const auto moment = as_ago(text, now)) return *moment;
  if (const auto moment = as_time_of_day(text, now, ahead)) return *moment;
  if (const auto moment = as_date_and_time(text, ahead)) return *moment;
  return fail(ErrorKind::kInvalidSetting, "--at",
              "\"" + std::string(text) +
                  "\": want a time of day (14:03:05), a duration back (-30s), date and time "
                  "(2026-11-21T14:03:05, with Z or +01:00 behind it if it is not local), or "
                  "seconds as in a journal's \"at\" (12.5s)");
}

std::string moment_text(WallTime moment, WallTime now, Duration ahead) {
  const auto second = std::chrono::floor<std::chrono::seconds>(moment + ahead);
  const Days day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(second - day);
  std::array<char, 40> text{};
  std::size_t length = 0;
  if (day != std::chrono::floor<std::chrono::days>(now + ahead)) {
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
