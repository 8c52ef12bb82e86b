#include "json/object.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "json/seconds.hpp"

namespace bellows::json {

namespace {

using ErrorCode = boost::system::error_code;

std::string_view view_of(boost::json::string_view text) {
  return {text.data(), text.size()};
}

/// Builds a value from the events of Boost's parser. It differs from Boost's own builder in three
/// points: a key that occurs twice is an error (Boost keeps the last), a number beyond a double is
/// an error, and a double is the nearest one (that of Boost 1.81 may be off by some ulps).
struct StrictBuilder {
  static constexpr std::size_t max_object_size = boost::json::object::max_size();
  static constexpr std::size_t max_array_size = boost::json::array::max_size();
  static constexpr std::size_t max_key_size = boost::json::string::max_size();
  static constexpr std::size_t max_string_size = boost::json::string::max_size();

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
  bool on_key_part(boost::json::string_view part, std::size_t, ErrorCode&) {
    key.append(part.data(), part.size());
    stack.push_chars(part);
    return true;
  }
  bool on_key(boost::json::string_view part, std::size_t, ErrorCode& error) {
    key.append(part.data(), part.size());
    stack.push_key(part);
    if (!keys.back().insert(key).second) {
      problem = "the key \"" + key + "\" occurs twice in one object";
      error = boost::json::error::syntax;
      return false;
    }
    key.clear();
    return true;
  }
  bool on_string_part(boost::json::string_view part, std::size_t, ErrorCode&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(boost::json::string_view part, std::size_t, ErrorCode&) {
    stack.push_string(part);
    return true;
  }
  bool on_number_part(boost::json::string_view part, ErrorCode&) {
    digits.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, boost::json::string_view, ErrorCode&) {
    digits.clear();
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, boost::json::string_view, ErrorCode&) {
    digits.clear();
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double, boost::json::string_view part, ErrorCode& error) {
    digits.append(part.data(), part.size());
    double number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc()) {
      problem = digits + " is beyond what a double holds";
      error = boost::json::error::exponent_overflow;
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
  bool on_comment_part(boost::json::string_view, ErrorCode&) { return true; }
  bool on_comment(boost::json::string_view, ErrorCode&) { return true; }

  boost::json::value_stack stack;
  std::vector<std::set<std::string>> keys;  // keys of each open object
  std::string key;                          // the part of a key read so far
  std::string digits;                       // the part of a number read so far
  std::string problem;
};

constexpr std::string_view kWantObject = "want one JSON object";

/// Shortens long text for error messages.
std::string shortened(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  return std::string(text.substr(0, kMaxShown)) + (text.size() > kMaxShown ? "..." : "");
}

/// Returns a value as JSON.
std::string shown(const boost::json::value& value) {
  return shortened(value.is_double() ? shortest_text(value.get_double())
                                     : boost::json::serialize(value));
}

std::string range_text(Range valid) {
  const Range any;
  const bool has_min = valid.min != any.min;
  const bool has_max = valid.max != any.max;
  if (has_min && has_max) {
    return " from " + plain_text(valid.min) + " to " + plain_text(valid.max);
  }
  if (has_min) return " >= " + plain_text(valid.min);
  return has_max ? " <= " + plain_text(valid.max) : "";
}

std::string valid_durations_text(const DurationRange& valid) {
  std::string want = valid.whole_seconds ? "a duration of whole seconds " : "a duration ";
  want += valid.max == Duration::max()
              ? ">= " + duration_text(valid.min)
              : "from " + duration_text(valid.min) + " to " + duration_text(valid.max);
  return want + ", as text with a unit such as \"60s\"";
}

Error invalid_value(std::string place, const boost::json::value* value, std::string_view want) {
  return {ErrorKind::kMalformed, std::move(place),
          (value == nullptr ? "missing" : shown(*value)) + ": want " + std::string(want)};
}

std::optional<double> number_in(const boost::json::value* value, Range valid) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const auto number = value->to_number<double>();
  return valid.min <= number && number <= valid.max ? std::optional(number) : std::nullopt;
}

const boost::json::string* string_in(const boost::json::value* value) {
  return value == nullptr ? nullptr : value->if_string();
}

std::string indexed(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

}  // namespace

Object::Object(std::shared_ptr<const boost::json::value> document,
               const boost::json::object* object, std::size_t line, std::string path)
    : document_(std::move(document)), object_(object), line_(line), path_(std::move(path)) {}

/// Parses an object. `place` is its name in errors: "line 3". Values of a line have it before a
/// colon, those of a document (line 0) before a dot.
Result<Object> parse_object(std::string_view text, std::string place, std::size_t line) {
  boost::json::basic_parser<StrictBuilder> parser{boost::json::parse_options()};
  ErrorCode error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  const std::string culprit = place.empty() ? "JSON" : place;
  const auto malformed = [&](std::string message) {
    return fail(ErrorKind::kMalformed, culprit, std::move(message));
  };
  const std::string want =
      std::string(kWantObject) + (line > 0 ? " on each line" : " and nothing else");
  if (!parser.handler().problem.empty()) return malformed(parser.handler().problem);
  if (error) {
    return malformed(shortened(text) + ": no JSON at byte " + std::to_string(read + 1) + " (" +
                     error.message() + "); " + want);
  }
  if (text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    return malformed(shortened(text) + ": more follows at byte " + std::to_string(read + 1) + "; " +
                     want);
  }
  auto document = std::make_shared<const boost::json::value>(parser.handler().stack.release());
  const boost::json::object* object = document->if_object();
  if (object == nullptr) return malformed(shown(*document) + ": want a JSON object");
  if (!place.empty()) place += line > 0 ? ": " : ".";
  return Object(std::move(document), object, line, std::move(place));
}

Result<Object> parse(std::string_view text, std::string_view name) {
  return parse_object(text, std::string(name), 0);
}

Result<Object> parse_line(std::string_view text, std::size_t number) {
  return parse_object(text, "line " + std::to_string(number), number);
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
  const boost::json::value* value = find(key);
  return value != nullptr && value->is_null();
}

const boost::json::value* Object::find(std::string_view key) const {
  return object_->if_contains({key.data(), key.size()});
}

Error Object::invalid(std::string_view key, std::string_view want) const {
  return invalid_value(path_ + std::string(key), find(key), want);
}

Result<double> Object::number(std::string_view key, Range valid) const {
  if (const auto number = number_in(find(key), valid)) return *number;
  return fail(invalid(key, "a number" + range_text(valid)));
}

Result<std::int64_t> Object::integer(std::string_view key, std::int64_t min,
                                     std::int64_t max) const {
  const boost::json::value* value = find(key);
  if (value != nullptr && value->is_number()) {
    ErrorCode inexact;
    const auto number = value->to_number<std::int64_t>(inexact);
    if (!inexact && min <= number && number <= max) return number;
  }
  return fail(
      invalid(key, "a whole number from " + std::to_string(min) + " to " + std::to_string(max)));
}

Result<bool> Object::flag(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value != nullptr && value->is_bool()) return value->get_bool();
  return fail(invalid(key, "true or false"));
}

Result<std::string> Object::text(std::string_view key) const {
  if (const auto* text = string_in(find(key))) return std::string(view_of(*text));
  return fail(invalid(key, "a text"));
}

Result<Duration> Object::duration(std::string_view key, DurationRange valid) const {
  if (const auto* text = string_in(find(key))) {
    const auto duration = parse_duration(view_of(*text));
    const bool is_whole = duration && *duration % std::chrono::seconds(1) == Duration::zero();
    if (duration && valid.min <= *duration && *duration <= valid.max &&
        (is_whole || !valid.whole_seconds)) {
      return *duration;
    }
  }
  return fail(invalid(key, valid_durations_text(valid)));
}

Result<Duration> Object::seconds(std::string_view key) const {
  if (const auto number = number_in(find(key), {0, kMaxSeconds})) return exact_seconds(*number);
  const auto written =
      duration(key, {.max = std::chrono::seconds(static_cast<std::int64_t>(kMaxSeconds))});
  if (written) return *written;
  return fail(invalid(key, "seconds from 0 to " + plain_text(kMaxSeconds) +
                               ", as a number or as text with a unit such as \"60s\""));
}

Result<std::string> Object::raw(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value != nullptr) return boost::json::serialize(*value);
  return fail(invalid(key, "a value"));
}

Result<Object> Object::object(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value != nullptr && value->is_object()) {
    return Object(document_, &value->get_object(), line_, path_ + std::string(key) + ".");
  }
  return fail(invalid(key, "an object"));
}

Result<List> Object::list(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value != nullptr && value->is_array()) {
    return List(document_, &value->get_array(), line_, path_ + std::string(key));
  }
  return fail(invalid(key, "a list"));
}

Result<std::vector<Object>> Object::objects(std::string_view key) const {
  const auto elements = list(key);
  if (!elements) return fail(invalid(key, "a list of objects"));
  std::vector<Object> objects;
  objects.reserve(elements->size());
  for (std::size_t i = 0; i < elements->size(); ++i) {
    auto element = elements->object(i);
    if (!element) return fail(invalid(key, "a list of objects only"));
    objects.push_back(*std::move(element));
  }
  return objects;
}

Result<std::string> Object::setting_text(std::string_view key) const {
  const boost::json::value* value = find(key);
  if (value != nullptr && value->is_string()) return text(key);
  if (value != nullptr && (value->is_number() || value->is_bool())) return shown(*value);
  return fail(invalid(key, "a number, a text, true or false"));
}

List::List(std::shared_ptr<const boost::json::value> document, const boost::json::array* array,
           std::size_t line, std::string path)
    : document_(std::move(document)), array_(array), line_(line), path_(std::move(path)) {}

std::size_t List::size() const {
  return array_->size();
}

const boost::json::value& List::at(std::size_t index) const {
  CHECK(index < array_->size(), "an index of a list is below its size");
  return (*array_)[index];
}

Error List::invalid(std::size_t index, std::string_view want) const {
  return invalid_value(indexed(path_, index), &at(index), want);
}

Result<double> List::number(std::size_t index, Range valid) const {
  if (const auto number = number_in(&at(index), valid)) return *number;
  return fail(invalid(index, "a number" + range_text(valid)));
}

Result<std::string> List::text(std::size_t index) const {
  if (const auto* text = string_in(&at(index))) return std::string(view_of(*text));
  return fail(invalid(index, "a text"));
}

Result<Object> List::object(std::size_t index) const {
  if (const auto* object = at(index).if_object()) {
    return Object(document_, object, line_, indexed(path_, index) + ".");
  }
  return fail(invalid(index, "an object"));
}

Result<List> List::list(std::size_t index) const {
  if (const auto* array = at(index).if_array()) {
    return List(document_, array, line_, indexed(path_, index));
  }
  return fail(invalid(index, "a list"));
}

}  // namespace bellows::json
