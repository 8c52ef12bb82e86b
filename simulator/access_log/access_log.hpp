// An access log as traffic: requests per second and the distribution of their durations, in memory
// that does not grow with the requests.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulator/access_log/line.hpp"
#include "simulator/traffic.hpp"
#include "simulator/wait_histogram.hpp"

namespace bellows::simulator {

struct LogTraffic;

/// A file that is read, and the format of its lines.
struct LogSource {
  std::string file;  ///< for messages
  LogFormat format = LogFormat::kCombined;
  Duration around{};  ///< the time of its first line; others lie within a year of it
};

/// The longest line that is read.
inline constexpr std::size_t kLongestLogLine = std::size_t{1} << 20U;

/// Finds the format in the first lines of a log: the first of 100 lines that has one decides, so
/// that a log may begin with the end of a line. Objects of JSON without a request do not count: a
/// server may log its start before its first request. kMalformed names the first line and the
/// formats.
Result<LogSource> find_log_format(std::string_view file, std::string_view text);

/// Requests per second. Its memory grows with the hours that have one, not with the time between
/// them. Pure.
class SecondCounts {
 public:
  void add(std::int64_t second);  ///< since 1970
  void add(const SecondCounts& other);

  /// Returns the counts from `first` to the last request. Earlier requests count in `first`.
  std::vector<std::uint32_t> from(std::int64_t first) const;

 private:
  static constexpr std::int64_t kPerHour = 3600;
  std::map<std::int64_t, std::array<std::uint32_t, kPerHour>> hours_;  // by hour since 1970
};

/// A line that stands for others of its kind: its number, from 1 on, and what is to say of it.
struct LogLine {
  std::uint64_t number = 0;
  std::string text;
};

/// A time, and the line that has it.
struct LineTime {
  std::uint64_t number = 0;
  Duration time{};
};

/// A part of a log, and what it says. Parts are read apart, and added up in the order of the file.
/// Pure; one thread each.
class LogPart {
 public:
  /// `source` outlives it.
  explicit LogPart(const LogSource& source) : source_(&source) {}

  /// Reads whole lines; the last one may lack its line break.
  void read(std::string_view lines);
  /// Adds what follows.
  void add(const LogPart& next);

  std::uint64_t lines() const { return lines_; }
  bool is_unreadable() const;  ///< more than one line of a thousand cannot be read

 private:
  friend struct LogTraffic;
  void read_line(std::string_view line);
  void add_problem(std::string_view line, const LineProblem& problem);
  void follow(Duration from, const LineTime& to);

  const LogSource* source_;
  SecondCounts counts_;
  WaitHistogram services_;
  std::uint64_t lines_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t not_served_ = 0;
  std::uint64_t problems_ = 0;
  std::optional<LogLine> first_problem_;
  std::uint64_t steps_back_ = 0;
  std::optional<LogLine> first_step_back_;
  Duration longest_gap_{};
  std::optional<LogLine> after_gap_;
  std::optional<LineTime> first_time_;  // of the first and last line that can be read
  std::optional<LineTime> last_time_;
  std::optional<LineTime> begin_;  // the earliest `logged` of a request
  std::optional<LineTime> earliest_arrival_;
  std::optional<LineTime> latest_arrival_;
};

/// A whole log.
struct LogTraffic {
  Traffic traffic;
  LogFormat format = LogFormat::kCombined;
  std::uint64_t requests = 0;
  Duration p50{};  ///< of the durations; zero without
  Duration p99{};
  bool has_durations = false;
  std::vector<std::string> notes;  ///< what was left out, and times that jump; whole sentences

  /// Makes it from all parts. It begins with the earliest end of a request: those that began before
  /// count there, as they are in service then, so that one of a day makes no log of an hour longer.
  /// kMalformed: no request, too many lines that cannot be read, or times that span more than a
  /// year.
  static Result<LogTraffic> of(const LogPart& all);

 private:
  static std::vector<std::string> notes_of(const LogPart& all);
};

}  // namespace bellows::simulator
