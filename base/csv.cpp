#include "base/csv.hpp"

#include <chrono>
#include <cmath>

#include "base/number_text.hpp"
#include "base/read_number.hpp"
#include "base/text_parts.hpp"

namespace bellows {
namespace {

/// The maximum of a time in seconds: the year 2255.
constexpr double kMaxSeconds = 9e9;

std::optional<Duration> seconds_of(std::string_view text) {
  const auto value = read_number<double>(text);
  if (!value || !(*value >= 0 && *value <= kMaxSeconds)) return std::nullopt;
  const double whole = std::floor(*value);
  return std::chrono::seconds(static_cast<std::int64_t>(whole)) +
         Duration(std::llround((*value - whole) * 1e9));
}

/// Reads two or four digits at `at`.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  const auto part = text.substr(at, count);
  return part.front() == '-' ? std::nullopt : read_number<int>(part);
}

}  // namespace

std::optional<Duration> instant_of(std::chrono::year_month_day day, std::string_view clock) {
  constexpr std::chrono::year kFirst{1970};
  constexpr std::chrono::year kLast{2250};
  constexpr std::string_view kPattern = "dd:dd:dd";
  if (!day.ok() || day.year() < kFirst || day.year() > kLast) return std::nullopt;
  if (clock.size() < kPattern.size() || clock[2] != ':' || clock[5] != ':') return std::nullopt;
  const auto hour = digits(clock, 0, 2);
  const auto minute = digits(clock, 3, 2);
  const auto seconds = seconds_of(clock.substr(6));
  if (!hour || !minute || !seconds) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *seconds >= std::chrono::minutes(1)) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch() + std::chrono::hours(*hour) +
         std::chrono::minutes(*minute) + *seconds;
}

std::optional<Duration> read_instant(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd";
  if (text.size() < kPattern.size()) return seconds_of(text);
  for (const std::size_t dash : {std::size_t{4}, std::size_t{7}}) {
    if (text[dash] != '-') return seconds_of(text);
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  if (!year || !month || !day || (text[10] != ' ' && text[10] != 'T')) return std::nullopt;
  return instant_of({std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                     std::chrono::day(static_cast<unsigned>(*day))},
                    text.substr(11));
}

bool CsvReader::next() {
  while (!rest_.empty()) {
    std::string_view line = next_part(rest_, '\n');
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    fields_ = split(line, ',');
    return true;
  }
  return false;
}

Error CsvReader::wrong(std::string_view column, std::string_view value,
                       std::string_view want) const {
  constexpr std::size_t kRepeated = 80;
  std::string shown(value.substr(0, kRepeated));
  if (value.size() > kRepeated) shown += "...";
  return {ErrorKind::kMalformed,
          std::string(file_) + ":" + std::to_string(line_) + ": " + std::string(column),
          "\"" + shown + "\": want " + std::string(want)};
}

Result<void> CsvReader::want_fields(std::string_view names, std::size_t count) const {
  if (fields_.size() == count) return {};
  return fail(wrong("columns", std::to_string(fields_.size()) + " of them",
                    std::to_string(count) + ": " + std::string(names)));
}

Result<std::int64_t> CsvReader::count(std::size_t at, std::string_view column,
                                      std::int64_t max) const {
  const auto value = read_number<std::int64_t>(fields_[at]);
  if (value && *value >= 0 && *value <= max) return *value;
  return fail(wrong(column, fields_[at], "a whole number from 0 to " + std::to_string(max)));
}

Result<double> CsvReader::number(std::size_t at, std::string_view column, double max) const {
  const auto value = read_number<double>(fields_[at]);
  if (value && *value >= 0 && *value <= max) return *value;
  return fail(wrong(column, fields_[at], "a number from 0 to " + plain_text(max)));
}

Result<Duration> CsvReader::seconds(std::size_t at, std::string_view column) const {
  if (const auto duration = seconds_of(fields_[at])) return *duration;
  return fail(wrong(column, fields_[at], "seconds, such as 0.078"));
}

Result<Duration> CsvReader::instant(std::size_t at, std::string_view column) const {
  if (const auto when = read_instant(fields_[at])) return *when;
  return fail(wrong(column, fields_[at], "a time such as 2023-11-16 18:15:46.68, or seconds"));
}

}  // namespace bellows
