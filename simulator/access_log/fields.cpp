#include "simulator/access_log/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/csv.hpp"
#include "base/duration_text.hpp"
#include "base/read_number.hpp"

namespace bellows::simulator {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr Duration kLongest = std::chrono::hours(366 * 24);

/// Returns the place behind a clock "12:14:14.655" that begins at `at`.
std::size_t end_of_clock(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of("0123456789:.", at), text.size());
}

/// Reads "", "Z", "+0100" or "+01:00".
std::optional<Duration> zone_of(std::string_view text) {
  if (text.empty() || text == "Z") return Duration::zero();
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const bool has_colon = text.size() == 6 && text[3] == ':';
  if (text.size() != 5 && !has_colon) return std::nullopt;
  const auto hour = read_number<unsigned>(text.substr(1, 2));
  const auto minute = read_number<unsigned>(text.substr(has_colon ? 4 : 3, 2));
  if (!hour || *hour > 23 || !minute || *minute > 59) return std::nullopt;
  const Duration offset = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
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
  constexpr std::size_t kDate = std::string_view("dd/Mon/yyyy:").size();
  if (text.size() < kDate || text[2] != '/' || text[6] != '/' || text[11] != ':') {
    return std::nullopt;
  }
  const auto* const month = std::ranges::find(kMonths, text.substr(3, 3));
  const auto day_of_month = read_number<unsigned>(text.substr(0, 2));
  const auto year_number = read_number<unsigned>(text.substr(7, 4));
  if (month == kMonths.end() || !day_of_month || !year_number) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(static_cast<int>(*year_number)),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(*day_of_month));
  const auto end = end_of_clock(text, kDate);
  const auto at = instant_of(date, text.substr(kDate, end - kDate));
  text.remove_prefix(end);
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto zone = zone_of(text);
  if (!at || !zone) return std::nullopt;
  return *at - *zone;
}

std::optional<Duration> read_log_instant(std::string_view text) {
  constexpr std::size_t kDate = std::string_view("2009-02-06T").size();
  if (text.size() < kDate || text[kDate - 1] != 'T') return std::nullopt;
  const auto end = end_of_clock(text, kDate);
  const auto at = read_instant(text.substr(0, end));
  const auto zone = zone_of(text.substr(end));
  if (!at || !zone) return std::nullopt;
  return *at - *zone;
}

std::optional<Duration> read_log_duration(std::string_view text, Duration unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const double nanoseconds = std::round(value * static_cast<double>(unit.count()));
  const auto most = static_cast<double>(kLongest.count());
  if (!(nanoseconds >= 0 && nanoseconds <= most)) return std::nullopt;
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

std::optional<Duration> read_go_duration(std::string_view text) {
  constexpr std::string_view kMicroseconds = "\u00b5s";  // never behind another unit
  if (text.ends_with(kMicroseconds)) {
    return read_log_duration(text.substr(0, text.size() - kMicroseconds.size()),
                             std::chrono::microseconds(1));
  }
  const auto duration = parse_duration(text);
  if (!duration || *duration > kLongest) return std::nullopt;
  return *duration;
}

}  // namespace bellows::simulator
