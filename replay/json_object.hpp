// One line of JSON, read strictly: whoever gets a problem is told line, key, value and what is
// valid.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::replay {

/// What is valid for a number; both ends are.
struct Range {
  double min = -std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::max();
};

/// What is valid for a duration that is written as text with a unit, "60s".
struct DurationRange {
  Duration min{};
  Duration max = Duration::max();
  bool whole_seconds = false;
};

/// A JSON object of a line, the line's own or one within it. Cheap to copy; keeps the line's values
/// alive. Every getter of a key that is missing or unfit returns a kMalformed Error:
///   `line 3: spec.window: "1 minute": want a duration from 6s to 1h, such as "60s"`
class Object {
 public:
  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;    ///< it is there, and it is null
  std::vector<std::string_view> keys() const;  ///< in the order of the line
  std::size_t line() const { return line_; }

  Result<double> number(std::string_view key, Range valid = {}) const;
  Result<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max) const;
  Result<bool> flag(std::string_view key) const;
  Result<std::string> text(std::string_view key) const;
  Result<Duration> duration(std::string_view key, DurationRange valid) const;
  /// A number of seconds or a text with units, from 0 to kMaxSeconds (replay/seconds.hpp).
  Result<Duration> seconds(std::string_view key) const;
  Result<Object> object(std::string_view key) const;
  Result<std::vector<Object>> objects(std::string_view key) const;  ///< an array of them

  /// A number, text or flag as the text that a setting would have: 70, "60s", true. For
  /// config/layer.hpp.
  Result<std::string> setting_text(std::string_view key) const;

  /// The error that names `key` here and its value (or that it is missing). `want` completes
  /// "want ...".
  Error unfit(std::string_view key, std::string_view want) const;

 private:
  friend Result<Object> parse_line(std::string_view text, std::size_t number);

  // The document is shared by all objects of its line.
  Object(std::shared_ptr<const boost::json::value> document, const boost::json::object* object,
         std::size_t line, std::string path);

  const boost::json::value* find(std::string_view key) const;
  Object inner(std::string_view name, const boost::json::object& object) const;

  std::shared_ptr<const boost::json::value> document_;
  const boost::json::object* object_;  // within *document_
  std::size_t line_;
  std::string path_;  // "spec." or nothing
};

/// `text` must be exactly one JSON object: no key twice, no NaN, no comments, nothing behind it, no
/// number beyond a double. Numbers are read to the nearest double. kMalformed otherwise.
Result<Object> parse_line(std::string_view text, std::size_t number);

}  // namespace bellows::replay
