// One declared setting: name, kind, bounds, spellings and help. It knows nothing of the struct that
// it fills; config/schema.hpp binds the two.
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

/// What a value is, and so how its text is read.
enum class Kind : std::uint8_t {
  kDuration,      ///< "90s", "1m30s"; a bare number exactly where the spelling names the unit
  kInteger,       ///< "8"; no sign but '-', no leading zero (010 is 8 to some and 10 to others)
  kNumber,        ///< "0.5"
  kPercent,       ///< "70" or "70%"
  kFlag,          ///< "true" or "false"
  kText,          ///< anything that Declaration::form lets through
  kChoice,        ///< one of Declaration::choices
  kBytes,         ///< "64Mi", "1048576"
  kCpu,           ///< "250m", "0.5", "2"
  kEndpoint,      ///< "127.0.0.1:8080", "unix:/path"
  kWebSocketUrl,  ///< "ws://127.0.0.1:8080/v1/stats"
};

/// A value as read: kDuration gives Duration, kInteger int64, kNumber and kPercent double, kFlag
/// bool, kText and kChoice string. std::monostate: not set, for settings that may be left open.
using Value = std::variant<std::monostate, Duration, std::int64_t, double, bool, std::string, Bytes,
                           Millicores, Endpoint, WebSocketUrl>;

/// What is valid for kinds that are amounts. Durations in nanoseconds, memory in bytes, CPU in
/// millicores.
struct Bounds {
  std::optional<double> min = {};
  std::optional<double> max = {};
  bool min_excluded = false;        ///< `least` itself is too little
  bool max_excluded = false;        ///< `most` itself is too much
  std::optional<double> also = {};  ///< valid although outside: -1 for "always"
  bool whole_seconds = false;
};

Bounds at_least(double min);
Bounds above(double min);
Bounds up_to(double max, Bounds bounds);
Bounds between(double min, double max);
Bounds within(double min_excluded, double max_excluded);
Bounds at_least(Duration min);
Bounds between(Duration min, Duration max);
Bounds between(Bytes min, Bytes max);
Bounds between(Millicores min, Millicores max);
Bounds in_whole_seconds(Bounds bounds);
Bounds or_also(double value, Bounds bounds);

/// What a text or an address must look like. `read` gives the text as it is kept (often the same),
/// or nothing.
struct TextFormat {
  std::string want = {};  ///< completes "want ...": "a path that starts with /, or nothing"
  std::optional<std::string> (*read)(std::string_view) = nullptr;
};

/// One setting as it is declared. Kind, default and variable are filled in by Schema::add.
struct Declaration {
  std::string name = {};  ///< kebab-case; the key in a file and, behind "--", the flag
  std::vector<std::string> aliases = {};  ///< other keys and flags that mean the same
  std::string variable = {};  ///< of the environment; empty: BELLOWS_ and the name in capitals
  Kind kind = Kind::kText;    ///< set it for kPercent only, the rest follows from the member
  /// A percentage of which 0 < value <= 1 is a fraction: 0.7 is 70 %. It is kept as it was written,
  /// so that 0.101 stays the nearest double to it. A cluster-wide key of Knative.
  bool takes_fraction = false;
  Bounds bounds = {};
  TextFormat format = {};
  std::vector<std::string> choices = {};
  bool required = false;
  std::string help = {};          ///< one or two sentences, without default and bounds
  std::string group = {};         ///< heading in help and docs
  std::string unset = {};         ///< what holds while it is not set, instead of a default
  std::string default_text = {};  ///< as the user would write it
};

/// The text that read_value reads back to the same value; empty for std::monostate.
std::string value_text(const Declaration& declaration, const Value& value);

/// What would be right, in words: "a whole number from 0 to 1000".
std::string valid_values_text(const Declaration& declaration);

/// What stands for the value in help: "SPAN", "NUMBER", ... ; empty for a flag.
std::string_view placeholder(Kind kind);

/// The spellings that Knative has for a per-revision annotation `name`: camelCase, and both behind
/// "autoscaling.knative.dev/".
std::vector<std::string> annotation_aliases(std::string_view name);

/// "min-scale" as "minScale", and as "BELLOWS_MIN_SCALE".
std::string camel_case(std::string_view name);
std::string variable_name(std::string_view name);

}  // namespace bellows::config
