// Reads JSON strictly. Every error names the place, the key, the value and what is valid.
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

namespace bellows::json {

class List;

/// The valid values of a number, both ends included.
struct Range {
  double min = -std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::max();
};

/// The valid values of a duration that is written as text with a unit, "60s".
struct DurationRange {
  Duration min{};
  Duration max = Duration::max();
  bool whole_seconds = false;
};

/// A JSON object: a whole document or one within it. Cheap to copy; all objects and lists of a
/// document share it and keep it alive. A getter of a key that is missing, or whose value is not
/// valid, returns a kMalformed Error:
///   `line 3: spec.window: "1 minute": want a duration from 6s to 1h, ...`
class Object {
 public:
  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;    ///< true if the key is present and its value is null
  std::vector<std::string_view> keys() const;  ///< in the order of the text
  std::size_t line() const { return line_; }   ///< 0 unless it was read by parse_line()

  Result<double> number(std::string_view key, Range valid = {}) const;
  Result<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max) const;
  Result<bool> flag(std::string_view key) const;
  Result<std::string> text(std::string_view key) const;
  Result<Duration> duration(std::string_view key, DurationRange valid) const;
  /// Returns a number of seconds or a text with units, from 0 to kMaxSeconds (json/seconds.hpp).
  Result<Duration> seconds(std::string_view key) const;
  Result<Object> object(std::string_view key) const;
  Result<List> list(std::string_view key) const;
  Result<std::vector<Object>> objects(std::string_view key) const;  ///< a list of objects only

  /// Returns a number, text or flag as the text of a setting: 70, "60s", true. For
  /// config/layer.hpp.
  Result<std::string> setting_text(std::string_view key) const;

  /// Returns the value as JSON text, whatever its type.
  Result<std::string> raw(std::string_view key) const;

  /// Returns the error that names `key` with its place and value (or that it is missing). `want`
  /// completes "want ...".
  Error invalid(std::string_view key, std::string_view want) const;

 private:
  friend class List;
  friend Result<Object> parse_object(std::string_view text, std::string place, std::size_t line);

  Object(std::shared_ptr<const boost::json::value> document, const boost::json::object* object,
         std::size_t line, std::string path);

  const boost::json::value* find(std::string_view key) const;

  std::shared_ptr<const boost::json::value> document_;
  const boost::json::object* object_;  // within *document_
  std::size_t line_;
  std::string path_;  // precedes the keys in errors: "line 3: spec.", or empty
};

/// A JSON array of an Object, read by index. The indexes must be below size().
class List {
 public:
  std::size_t size() const;

  Result<double> number(std::size_t index, Range valid = {}) const;
  Result<std::string> text(std::size_t index) const;
  Result<Object> object(std::size_t index) const;
  Result<List> list(std::size_t index) const;

  /// Does what Object::invalid() does, for the element.
  Error invalid(std::size_t index, std::string_view want) const;

 private:
  friend class Object;

  List(std::shared_ptr<const boost::json::value> document, const boost::json::array* array,
       std::size_t line, std::string path);

  const boost::json::value& at(std::size_t index) const;

  std::shared_ptr<const boost::json::value> document_;
  const boost::json::array* array_;  // within *document_
  std::size_t line_;
  std::string path_;  // precedes the indexes in errors: "line 3: values"
};

/// Parses `text`, which must be exactly one JSON object. These are kMalformed: a key that occurs
/// twice, NaN, comments, text after the object, a number beyond a double. Numbers are read to the
/// nearest double. Errors about values begin with `name` and a dot if there is a name:
/// "cluster.version".
Result<Object> parse(std::string_view text, std::string_view name = {});

/// Parses a line of a stream in the same way. Errors begin with "line " and `number`.
Result<Object> parse_line(std::string_view text, std::size_t number);

}  // namespace bellows::json
