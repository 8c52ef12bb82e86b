#include "replay/json_line.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace bellows::replay {

namespace {

std::string quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

}  // namespace

std::string number_text(double number) {
  CHECK(std::isfinite(number), "JSON has no infinity and no NaN");
  std::array<char, 32> text{};  // the longest double takes 24
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

void JsonLine::begin(std::string_view key) {
  if (line_.back() != '{' && line_.back() != '[') line_ += ',';
  CHECK(key.empty() == (open_.back() == ']'),
        "members of an object have keys, those of a list none");
  if (!key.empty()) line_ += quoted(key) + ':';
}

JsonLine& JsonLine::number(std::string_view key, double value) {
  begin(key);
  line_ += number_text(value);
  return *this;
}

JsonLine& JsonLine::integer(std::string_view key, std::int64_t value) {
  begin(key);
  line_ += std::to_string(value);
  return *this;
}

JsonLine& JsonLine::flag(std::string_view key, bool value) {
  begin(key);
  line_ += value ? "true" : "false";
  return *this;
}

JsonLine& JsonLine::text(std::string_view key, std::string_view value) {
  begin(key);
  line_ += quoted(value);
  return *this;
}

JsonLine& JsonLine::null(std::string_view key) {
  begin(key);
  line_ += "null";
  return *this;
}

JsonLine& JsonLine::open(std::string_view key) {
  begin(key);
  line_ += '{';
  open_ += '}';
  return *this;
}

JsonLine& JsonLine::open_list(std::string_view key) {
  begin(key);
  line_ += '[';
  open_ += ']';
  return *this;
}

JsonLine& JsonLine::close() {
  CHECK(open_.size() > 1, "what is closed was opened");
  line_ += open_.back();
  open_.pop_back();
  return *this;
}

std::string JsonLine::end() {
  CHECK(open_ == "}", "everything opened is closed");
  line_ += "}\n";
  return std::exchange(line_, "{");
}

}  // namespace bellows::replay
