// The declaration of a setting as one program has it: a row of the table with its default and its
// aliases, or a flag of one command. config/schema.hpp binds it to a member of a struct.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// The type of a value; it decides how its text is read.
enum class Kind : std::uint8_t {
  kDuration,      ///< "90s", "1m30s"; a bare number if and only if the name ends in the unit
  kInteger,       ///< "8", "-1"; no leading zero, since 010 is 8 in some formats
  kNumber,        ///< "0.5"
  kPercent,       ///< "70" or "70%"
  kFlag,          ///< "true" or "false"
  kText,          ///< any text that Declaration::format accepts
  kChoice,        ///< one of Declaration::choices
  kBytes,         ///< "64Mi", "1048576"
  kCpu,           ///< "250m", "0.5", "2"
  kEndpoint,      ///< "127.0.0.1:8080", "unix:/path"
  kWebSocketUrl,  ///< "ws://127.0.0.1:8080/v1/stats"
};

/// A parsed value: Duration for kDuration, int64 for kInteger, double for kNumber and kPercent,
/// bool for kFlag, string for kText and kChoice. std::monostate: an optional setting that is not
/// set.
using Value = std::variant<std::monostate, Duration, std::int64_t, double, bool, std::string, Bytes,
                           Millicores, Endpoint, WebSocketUrl>;

/// The valid range of an amount. Durations are in nanoseconds, memory in bytes, CPU in millicores.
struct Bounds {
  std::optional<double> min = {};
  std::optional<double> max = {};
  bool min_excluded = false;        ///< `min` itself is invalid
  bool max_excluded = false;        ///< `max` itself is invalid
  std::optional<double> also = {};  ///< one more valid value, outside the range: -1 for "always"
  bool whole_seconds = false;
};

/// Each takes its bounds as they are written: numbers, durations, memory or CPU.
constexpr Bounds at_least(double min) {
  return {.min = min};
}
constexpr Bounds at_least(Duration min) {
  return at_least(static_cast<double>(min.count()));
}
constexpr Bounds between(double min, double max) {
  return {.min = min, .max = max};
}
constexpr Bounds between(Duration min, Duration max) {
  return between(static_cast<double>(min.count()), static_cast<double>(max.count()));
}
constexpr Bounds between(Bytes min, Bytes max) {
  return between(static_cast<double>(min.value), static_cast<double>(max.value));
}
constexpr Bounds between(Millicores min, Millicores max) {
  return between(static_cast<double>(min.value), static_cast<double>(max.value));
}
constexpr Bounds above(double min) {
  return {.min = min, .min_excluded = true};
}
constexpr Bounds up_to(double max, Bounds bounds) {
  bounds.max = max;
  return bounds;
}
constexpr Bounds within(double min_excluded, double max_excluded) {
  return {.min = min_excluded, .max = max_excluded, .min_excluded = true, .max_excluded = true};
}
constexpr Bounds in_whole_seconds(Bounds bounds) {
  bounds.whole_seconds = true;
  return bounds;
}
constexpr Bounds or_also(double value, Bounds bounds) {
  bounds.also = value;
  return bounds;
}

/// The format of a text or an address. `read` returns the text to store (mostly the same), or
/// nullopt if it is invalid.
struct TextFormat {
  std::string want = {};  ///< completes "want ...": "a path that starts with /, or nothing"
  std::optional<std::string> (*read)(std::string_view) = nullptr;
};

/// The readers of a setting's help.
enum class Tier : std::uint8_t {
  kMain,           ///< settings that most users set
  kTuning,         ///< settings for unusual loads or machines
  kCompatibility,  ///< settings of another program (Knative, the Vertical Pod Autoscaler)
};

/// The declaration of a setting. Layout fills in kind, default and variable.
struct Declaration {
  std::string name = {};  ///< kebab-case; the key in a file and, after "--", the flag
  std::vector<std::string> aliases = {};  ///< other keys and flags with the same meaning
  std::string variable = {};  ///< environment variable; empty: BELLOWS_ and the name in capitals
  Kind kind = Kind::kText;    ///< set it for kPercent only; others follow from the member
  Bounds bounds = {};
  TextFormat format = {};
  std::vector<std::string> choices = {};
  bool required = false;
  std::string help = {};   ///< its effect, then when to change it; without default and bounds
  std::string group = {};  ///< heading in help and docs
  std::string unset = {};  ///< the effect while it is unset, if there is no default
  std::string default_text = {};  ///< as a user writes it
  Tier tier = Tier::kMain;        ///< which help has it
};

/// Returns the text that read_value() reads back to the same value; empty for std::monostate.
std::string value_text(const Declaration& declaration, const Value& value);

/// Returns the valid values: "a whole number from 0 to 1000".
std::string valid_values_text(const Declaration& declaration);

/// Returns the placeholder of the value in help: "DURATION", "NUMBER", ...; empty for a flag.
std::string_view placeholder(Kind kind);

/// Returns "minScale" and "BELLOWS_MIN_SCALE" for "min-scale".
std::string camel_case(std::string_view name);
std::string variable_name(std::string_view name);

}  // namespace bellows::config
