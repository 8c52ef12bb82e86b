// The fields of log lines: words, quoted texts, times, durations.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace bellows::simulator {

/// Takes the fields of a line from its begin. Pure.
class LogFields {
 public:
  explicit LogFields(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  std::string_view rest() const { return rest_; }

  /// Takes everything up to `mark` and the mark itself; nullopt if there is none.
  std::optional<std::string_view> until(std::string_view mark);
  /// Takes a word and the blanks behind it; empty at the end.
  std::string_view word();
  /// Takes a text in quotes, in which \" is no end, and the blanks behind it; nullopt if the line
  /// does not go on with one, or it does not end.
  std::optional<std::string_view> quoted();

 private:
  void skip_blanks();

  std::string_view rest_;
};

/// Reads "06/Feb/2009:12:14:14.655 +0100"; fraction and zone may be missing. Since 1970; the year
/// is one that instant_of() takes.
std::optional<Duration> read_log_date(std::string_view text);

/// Reads RFC 3339 with or without a fraction; the zone is Z, +0100, +01:00 or missing. Since 1970.
std::optional<Duration> read_log_instant(std::string_view text);

/// Reads a number >= 0 of `unit`s, up to a year: "0.012", "12".
std::optional<Duration> read_log_duration(std::string_view text, Duration unit);

/// Reads a duration as Go writes it, up to a year: "1m30.5s", "532.5µs".
std::optional<Duration> read_go_duration(std::string_view text);

}  // namespace bellows::simulator
