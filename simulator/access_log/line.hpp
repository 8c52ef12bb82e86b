// One line of an access log, in each of the formats that are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <tl/expected.hpp>

#include "base/time.hpp"

namespace bellows::simulator {

enum class LogFormat : std::uint8_t {
  kCombined,       ///< nginx and Apache: common and combined, without a duration
  kNginxTimed,     ///< the same with $request_time, seconds with a fraction
  kApacheTimed,    ///< the same with %D, whole microseconds
  kTraefikCommon,  ///< the same with a count, two names and milliseconds: 12ms
  kHaproxy,        ///< option httplog, with or without the head of syslog
  kAlb,            ///< an Application Load Balancer of AWS
  kCaddyJson,
  kTraefikJson,
  kEnvoyJson,  ///< with start_time and duration, as Istio writes them
};
/// "nginx or Apache with $request_time".
std::string_view to_string(LogFormat format);

/// A request as its line tells it.
struct LogRecord {
  Duration logged{};                  ///< since 1970; the request's end if its duration is told
  Duration arrival{};                 ///< since 1970
  std::optional<Duration> service{};  ///< at the server; unset: the line has no duration
  bool is_served = true;              ///< false: no request, or one that no server got
};

/// The reason that a line cannot be read: the field, its value within the line, and what is valid.
struct LineProblem {
  std::string_view field;
  std::string_view value;
  std::string_view want;
};

using LineResult = tl::expected<LogRecord, LineProblem>;

/// Reads a line without its line break. Fast: it allocates nothing. Pure.
LineResult read_log_line(LogFormat format, std::string_view line);

/// Returns the format of a line; nullopt if it has none of them.
std::optional<LogFormat> log_format_of(std::string_view line);

}  // namespace bellows::simulator
