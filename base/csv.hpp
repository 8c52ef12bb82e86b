// Lines and fields of a CSV file without quotes, with places for error messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows {

/// Reads line by line. Skips empty lines; a CR at the end is not part of a line. `text` outlives
/// the reader.
class CsvReader {
 public:
  CsvReader(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

  /// Reads the next line; returns false at the end.
  bool next();

  std::size_t line() const { return line_; }
  std::size_t fields() const { return fields_.size(); }
  std::string_view field(std::size_t at) const { return fields_[at]; }

  /// Returns an error of this line: "FILE:LINE: column: "value": want ...".
  Error wrong(std::string_view column, std::string_view value, std::string_view want) const;
  /// Returns kMalformed unless the line has as many fields as `names`.
  Result<void> want_fields(std::string_view names, std::size_t count) const;

  /// Returns the field as a whole number from 0 to `max`.
  Result<std::int64_t> count(std::size_t at, std::string_view column, std::int64_t max) const;
  /// Returns the field as a number from 0 to `max`.
  Result<double> number(std::size_t at, std::string_view column, double max) const;
  /// Returns the field as seconds >= 0, with a fraction.
  Result<Duration> seconds(std::size_t at, std::string_view column) const;
  /// Returns the field as an instant: "2023-11-16 18:15:46.68", with T instead of the space, or
  /// seconds.
  Result<Duration> instant(std::size_t at, std::string_view column) const;

 private:
  std::string_view file_;
  std::string_view rest_;
  std::size_t line_ = 0;
  std::vector<std::string_view> fields_;
};

/// Returns the seconds since 1970 of a calendar instant, or a plain number of seconds; nullopt if
/// `text` is neither.
std::optional<Duration> read_instant(std::string_view text);

/// Returns the seconds since 1970 of a day and a clock, "18:15:46.68"; nullopt if there is no such
/// day, the year is not one from 1970 to 2250 (a Duration holds up to 2262), or it is no clock.
std::optional<Duration> instant_of(std::chrono::year_month_day day, std::string_view clock);

}  // namespace bellows
