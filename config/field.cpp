#include "config/field.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "base/quantity_text.hpp"
#include "base/text_parts.hpp"

namespace bellows::config {

namespace {

/// Returns a bound as a user writes it: 6e10 of a duration is "1m".
std::string bound_text(Kind kind, double bound) {
  if (kind == Kind::kDuration) return duration_text(Duration(static_cast<std::int64_t>(bound)));
  if (kind == Kind::kBytes) return to_string(Bytes{static_cast<std::int64_t>(bound)});
  if (kind == Kind::kCpu) return to_string(Millicores{static_cast<std::int64_t>(bound)});
  if (kind == Kind::kInteger) return std::to_string(static_cast<std::int64_t>(bound));
  return plain_text(bound);
}

/// Returns " from 1 to 100", " >= 0, or -1", or empty.
std::string range_text(const Declaration& declaration) {
  const Bounds& bounds = declaration.bounds;
  const auto text = [&](double bound) { return bound_text(declaration.kind, bound); };
  std::string range;
  if (bounds.min && bounds.max && !bounds.min_excluded && !bounds.max_excluded) {
    range = " from " + text(*bounds.min) + " to " + text(*bounds.max);
  } else {
    if (bounds.min) range = (bounds.min_excluded ? " > " : " >= ") + text(*bounds.min);
    const std::string max = bounds.max_excluded ? "< " : "<= ";
    if (bounds.max) range += (bounds.min ? " and " : " ") + max + text(*bounds.max);
  }
  if (bounds.whole_seconds) range += ", in whole seconds";
  if (bounds.also) range += ", or " + text(*bounds.also);
  return range;
}

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

/// Returns the words of "min-scale": min, scale.
std::vector<std::string_view> words_of(std::string_view name) {
  return split(name, '-');
}

char capital(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

std::string value_text(const Declaration& declaration, const Value& value) {
  struct Printer {
    Kind kind;
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(Duration duration) const { return duration_text(duration); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return bound_text(kind, number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(Bytes bytes) const { return to_string(bytes); }
    std::string operator()(Millicores cpu) const { return to_string(cpu); }
    std::string operator()(const Endpoint& endpoint) const {
      return endpoint.empty() ? std::string() : to_string(endpoint);
    }
    std::string operator()(const WebSocketUrl& url) const { return to_string(url); }
  };
  return std::visit(Printer{declaration.kind}, value);
}

std::string valid_values_text(const Declaration& declaration) {
  const std::string range = range_text(declaration);
  switch (declaration.kind) {
    case Kind::kDuration:
      return "a duration (90s, 1m30s)" + range;
    case Kind::kInteger:
      return "a whole number" + range;
    case Kind::kNumber:
      return "a number" + range;
    case Kind::kPercent:
      return "a percentage" + range;
    case Kind::kFlag:
      return "true or false";
    case Kind::kText:
      return declaration.format.want.empty() ? "text" : declaration.format.want;
    case Kind::kChoice:
      return list_text(declaration.choices);
    case Kind::kBytes:
      return "an amount of memory (64Mi, 1Gi)" + range;
    case Kind::kCpu:
      return "an amount of CPU (250m, 0.5, 2)" + range;
    case Kind::kEndpoint:
      return declaration.format.want.empty() ? "HOST:PORT or unix:/PATH" : declaration.format.want;
    case Kind::kWebSocketUrl:
      return "ws://HOST:PORT/PATH";
  }
  return {};
}

std::string_view placeholder(Kind kind) {
  switch (kind) {
    case Kind::kDuration:
      return "DURATION";
    case Kind::kInteger:
    case Kind::kNumber:
      return "NUMBER";
    case Kind::kPercent:
      return "PERCENT";
    case Kind::kFlag:
      return "";
    case Kind::kText:
      return "TEXT";
    case Kind::kChoice:
      return "WORD";
    case Kind::kBytes:
      return "BYTES";
    case Kind::kCpu:
      return "CPU";
    case Kind::kEndpoint:
      return "ADDRESS";
    case Kind::kWebSocketUrl:
      return "URL";
  }
  return {};
}

std::string camel_case(std::string_view name) {
  std::string camel;
  for (const std::string_view word : words_of(name)) {
    const std::size_t start = camel.size();
    camel += word;
    if (start > 0 && start < camel.size()) camel[start] = capital(camel[start]);
  }
  return camel;
}

std::string variable_name(std::string_view name) {
  std::string variable = "BELLOWS";
  for (const std::string_view word : words_of(name)) {
    variable += '_';
    std::transform(word.begin(), word.end(), std::back_inserter(variable), capital);
  }
  return variable;
}

}  // namespace bellows::config
