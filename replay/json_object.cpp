#include "replay/json_object.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "replay/json_line.hpp"
#include "replay/seconds.hpp"

namespace bellows::replay {

namespace {

namespace json = boost::json;

using ErrorCode = boost::system::error_code;

std::string_view view_of(json::string_view text) {
  return {text.data(), text.size()};
}

/// What the parser finds, built into a value. Differs from Boost's own in three points: a key twice
/// is an error (Boost keeps the last), a number beyond a double is one, and doubles are the nearest
/// ones (Boost 1.81 may be off by some ulps).
struct StrictBuilder {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  bool on_document_begin(ErrorCode&) {
    stack.reset();
    return true;
  }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) {
    keys.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t size, ErrorCode&) {
    keys.pop_back();
    stack.push_object(size);
    return true;
  }
  bool on_array_begin(ErrorCode&) { return true; }
  bool on_array_end(std::size_t size, ErrorCode&) {
    stack.push_array(size);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, ErrorCode&) {
    key.append(part.data(), part.size());
    stack.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, ErrorCode& error) {
    key.append(part.data(), part.size());
    stack.push_key(part);
    if (!keys.back().insert(key).second) {
      problem = "the key \"" + key + "\" stands twice in one object";
      error = json::error::syntax;
      return false;
    }
    key.clear();
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view part, ErrorCode&) {
    digits.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, ErrorCode&) {
    digits.clear();
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, ErrorCode&) {
    digits.clear();
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double, json::string_view part, ErrorCode& error) {
    digits.append(part.data(), part.size());
    double number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc()) {
      problem = digits + " is beyond what a double holds";
      error = json::error::exponent_overflow;
      return false;
    }
    digits.clear();
    stack.push_double(number);
    return true;
  }
  bool on_bool(bool flag, ErrorCode&) {
    stack.push_bool(flag);
    return true;
  }
  bool on_null(ErrorCode&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, ErrorCode&) { return true; }
  bool on_comment(json::string_view, ErrorCode&) { return true; }

  json::value_stack stack;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string key;                          // what was read of it so far
  std::string digits;                       // likewise
  std::string problem;
};

/// For an error message: cut where it gets long.
std::string cut(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "..." : "");
}

/// A value as JSON.
std::string shown(const json::value& value) {
  return cut(value.is_double() ? number_text(value.get_double()) : json::serialize(value));
}

Error malformed(std::size_t line, std::string message) {
  return {ErrorKind::kMalformed, "line " + std::to_string(line), std::move(message)};
}

std::string range_text(Range valid) {
  const Range any;
  const bool has_min = valid.min != any.min;
  const bool has_max = valid.max != any.max;
  if (has_min && has_max) {
    return "from " + plain_text(valid.min) + " to " + plain_text(valid.max);
  }
  if (has_min) return ">= " + plain_text(valid.min);
  return has_max ? "<= " + plain_text(valid.max) : "";
}

std::string valid_durations_text(const DurationRange& valid) {
  std::string want = valid.whole_seconds ? "a duration of whole seconds " : "a duration ";
  want += valid.max == Duration::max()
              ? ">= " + duration_text(valid.min)
              : "from " + duration_text(valid.min) + " to " + duration_text(valid.max);
  return want + ", as text with a unit such as \"60s\"";
}

}  // namespace

Object::Object(std::shared_ptr<const json::value> document, const json::object* object,
               std::size_t line, std::string path)
    : document_(std::move(document)), object_(object), line_(line), path_(std::move(path)) {}

Result<Object> parse_line(std::string_view text, std::size_t number) {
  json::basic_parser<StrictBuilder> parser{json::parse_options()};
  ErrorCode error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!parser.handler().problem.empty()) return fail(malformed(number, parser.handler().problem));
  if (error) {
    return fail(malformed(number, cut(text) + ": no JSON at byte " + std::to_string(read + 1) +
                                      " (" + error.message() +
                                      "); want one JSON object on each line"));
  }
  if (text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    return fail(malformed(number, cut(text) + ": more follows at byte " + std::to_string(read + 1) +
                                      "; want one JSON object on each line"));
  }
  auto document = std::make_shared<const json::value>(parser.handler().stack.release());
  if (!document->is_object()) {
    return fail(malformed(number, shown(*document) + ": want a JSON object"));
  }
  const json::object* object = &document->get_object();
  return Object(std::move(document), object, number, "");
}

bool Object::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::vector<std::string_view> Object::keys() const {
  std::vector<std::string_view> keys;
  for (const auto& member : *object_) keys.push_back(view_of(member.key()));
  return keys;
}

bool Object::is_null(std::string_view key) const {
  const json::value* value = find(key);
  return value != nullptr && value->is_null();
}

const json::value* Object::find(std::string_view key) const {
  return object_->if_contains({key.data(), key.size()});
}

Error Object::unfit(std::string_view key, std::string_view want) const {
  const json::value* value = find(key);
  return {ErrorKind::kMalformed, "line " + std::to_string(line_) + ": " + path_ + std::string(key),
          (value == nullptr ? "missing" : shown(*value)) + ": want " + std::string(want)};
}

Result<double> Object::number(std::string_view key, Range valid) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_number()) {
    const auto number = value->to_number<double>();
    if (valid.min <= number && number <= valid.max) return number;
  }
  const std::string range = range_text(valid);
  return fail(unfit(key, range.empty() ? "a number" : "a number " + range));
}

Result<std::int64_t> Object::integer(std::string_view key, std::int64_t min,
                                     std::int64_t max) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_number()) {
    ErrorCode inexact;
    const auto number = value->to_number<std::int64_t>(inexact);
    if (!inexact && min <= number && number <= max) return number;
  }
  return fail(
      unfit(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max)));
}

Result<bool> Object::flag(std::string_view key) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_bool()) return value->get_bool();
  return fail(unfit(key, "true or false"));
}

Result<std::string> Object::text(std::string_view key) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_string()) {
    return std::string(value->get_string().data(), value->get_string().size());
  }
  return fail(unfit(key, "a text"));
}

Result<Duration> Object::duration(std::string_view key, DurationRange valid) const {
  const auto written = text(key);
  if (written) {
    const auto duration = parse_duration(*written);
    const bool is_whole = duration && *duration % std::chrono::seconds(1) == Duration::zero();
    if (duration && valid.min <= *duration && *duration <= valid.max &&
        (is_whole || !valid.whole_seconds)) {
      return *duration;
    }
  }
  return fail(unfit(key, valid_durations_text(valid)));
}

Result<Duration> Object::seconds(std::string_view key) const {
  if (const auto written = number(key, {0, kMaxSeconds})) return exact_seconds(*written);
  const auto spelt =
      duration(key, {.max = std::chrono::seconds(static_cast<std::int64_t>(kMaxSeconds))});
  if (spelt) return *spelt;
  return fail(unfit(key, "seconds from 0 to " + plain_text(kMaxSeconds) +
                             ", as a number or as text with a unit such as \"60s\""));
}

Object Object::inner(std::string_view name, const json::object& object) const {
  return {document_, &object, line_, path_ + std::string(name) + "."};
}

Result<Object> Object::object(std::string_view key) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_object()) return inner(key, value->get_object());
  return fail(unfit(key, "an object"));
}

Result<std::vector<Object>> Object::objects(std::string_view key) const {
  const json::value* value = find(key);
  if (value == nullptr || !value->is_array()) return fail(unfit(key, "a list of objects"));
  std::vector<Object> objects;
  for (const json::value& element : value->get_array()) {
    if (!element.is_object()) return fail(unfit(key, "a list of nothing but objects"));
    const std::string name = std::string(key) + "[" + std::to_string(objects.size()) + "]";
    objects.push_back(inner(name, element.get_object()));
  }
  return objects;
}

Result<std::string> Object::setting_text(std::string_view key) const {
  const json::value* value = find(key);
  if (value != nullptr && value->is_string()) return text(key);
  if (value != nullptr && (value->is_number() || value->is_bool())) return shown(*value);
  return fail(unfit(key, "a number, a text, true or false"));
}

}  // namespace bellows::replay
