#include "simulator/access_log/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/csv.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Returns the number of `count` digits at `at`, or -1.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// Reads ".655" at the begin of `text` and takes it away; zero if there is none.
std::optional<Duration> take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return Duration::zero();
  Duration unit = seconds(1);
  Duration fraction{};
  std::size_t at = 1;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    unit /= 10;
    fraction += unit * (text[at] - '0');
  }
  if (at == 1) return std::nullopt;
  text.remove_prefix(at);
  return fraction;
}

/// Reads "", "Z", "+0100" or "+01:00".
std::optional<Duration> zone_of(std::string_view text) {
  if (text.empty() || text == "Z") return Duration::zero();
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const bool has_colon = text.size() == 6 && text[3] == ':';
  if (text.size() != 5 && !has_colon) return std::nullopt;
  const int hour = digits(text, 1, 2);
  const int minute = digits(text, has_colon ? 4 : 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  const Duration offset = hours(hour) + minutes(minute);
  return text.front() == '-' ? -offset : offset;
}

}  // namespace

std::optional<std::string_view> LogFields::until(std::string_view mark) {
  const auto end = rest_.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest_.substr(0, end);
  rest_.remove_prefix(end + mark.size());
  return taken;
}

std::string_view LogFields::word() {
  const std::string_view taken = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(taken.size());
  skip_blanks();
  return taken;
}

std::optional<std::string_view> LogFields::quoted() {
  if (next() != '"') return std::nullopt;
  for (auto end = rest_.find('"', 1); end != std::string_view::npos;
       end = rest_.find('"', end + 1)) {
    std::size_t slashes = 0;
    while (rest_[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 != 0) continue;
    const std::string_view taken = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    skip_blanks();
    return taken;
  }
  return std::nullopt;
}

void LogFields::skip_blanks() {
  while (next() == ' ') rest_.remove_prefix(1);
}

std::optional<Duration> read_log_date(std::string_view text) {
  constexpr std::string_view kPattern = "dd/Mon/yyyy:HH:MM:SS";
  if (text.size() < kPattern.size()) return std::nullopt;
  for (const std::size_t at : {std::size_t{2}, std::size_t{6}}) {
    if (text[at] != '/') return std::nullopt;
  }
  if (text[11] != ':' || text[14] != ':' || text[17] != ':') return std::nullopt;
  const auto* const month = std::ranges::find(kMonths, text.substr(3, 3));
  const int day_of_month = digits(text, 0, 2);
  const int year_number = digits(text, 7, 4);
  const int hour = digits(text, 12, 2);
  const int minute = digits(text, 15, 2);
  const int second = digits(text, 18, 2);
  if (month == kMonths.end() || day_of_month < 1 || year_number < 0) return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  const year_month_day date(year(year_number),
                            std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                            day(static_cast<unsigned>(day_of_month)));
  if (!date.ok()) return std::nullopt;
  text.remove_prefix(kPattern.size());
  const auto fraction = take_fraction(text);
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto zone = zone_of(text);
  if (!fraction || !zone) return std::nullopt;
  return sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second) +
         *fraction - *zone;
}

std::optional<Duration> read_log_instant(std::string_view text) {
  constexpr std::size_t kWhole = std::string_view("2009-02-06T12:14:14").size();
  if (text.size() < kWhole || text[10] != 'T') return std::nullopt;
  const auto whole = read_instant(text.substr(0, kWhole));
  text.remove_prefix(kWhole);
  const auto fraction = take_fraction(text);
  const auto zone = zone_of(text);
  if (!whole || !fraction || !zone) return std::nullopt;
  return *whole + *fraction - *zone;
}

std::optional<Duration> read_log_duration(std::string_view text, Duration unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const double nanoseconds = std::round(value * static_cast<double>(unit.count()));
  const auto most = static_cast<double>(Duration(hours(366 * 24)).count());
  if (!(nanoseconds >= 0 && nanoseconds <= most)) return std::nullopt;
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

}  // namespace bellows::simulator
