#include "config/read_value.hpp"

#include <array>
#include <cmath>

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"
#include "base/read_number.hpp"

namespace bellows::config {

namespace {

using Read = std::optional<Value>;  // nullopt: not of this kind

/// A name with one of these endings has a bare number as value: Knative's REVISION_TIMEOUT_SECONDS.
struct UnitEnding {
  std::string_view ending;
  std::string_view unit;
  std::string_view in_words;
};
constexpr std::array<UnitEnding, 5> kUnitEndings = {{{"_SECONDS", "s", "seconds"},
                                                     {"-seconds", "s", "seconds"},
                                                     {"Seconds", "s", "seconds"},
                                                     {"_MS", "ms", "milliseconds"},
                                                     {"-ms", "ms", "milliseconds"}}};

const UnitEnding* unit_in(std::string_view name) {
  for (const UnitEnding& unit : kUnitEndings) {
    if (name.ends_with(unit.ending)) return &unit;
  }
  return nullptr;
}

/// Rejects 010, which is 8 in YAML 1.1 and C, and 10 to people.
bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

template <class Number>
std::optional<Number> read_plain(std::string_view text) {
  return has_leading_zero(text) ? std::nullopt : read_number<Number>(text);
}

Read read_double(std::string_view text) {
  const auto number = read_plain<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return *number;
}

Read read_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return read_double(text);
}

Read read_duration(std::string_view name, std::string_view text) {
  const UnitEnding* unit = unit_in(name);
  if (unit != nullptr && text.find_first_not_of("0123456789.") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto duration = parse_duration(std::string(text) + std::string(unit ? unit->unit : ""));
  if (!duration) return std::nullopt;
  return *duration;
}

/// No text has a NUL: where it becomes a path or a C string, what follows would be ignored.
Read read_formatted(const Declaration& declaration, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  if (declaration.format.read == nullptr) return std::string(text);
  auto value = declaration.format.read(text);
  if (!value) return std::nullopt;
  return *std::move(value);
}

Read read_choice(const Declaration& declaration, std::string_view text) {
  for (const std::string& choice : declaration.choices) {
    if (choice == text) return choice;
  }
  return std::nullopt;
}

template <class T>
Read read_with(Result<T> (*parse)(std::string_view), std::string_view text) {
  const auto value = parse(text);
  if (!value) return std::nullopt;
  return *value;
}

/// Accepts an empty address, which unsets one of an earlier layer.
template <class T>
Read read_parsed(Result<T> (*parse)(std::string_view), const Declaration& declaration,
                 std::string_view text) {
  if (text.empty() && !declaration.required) return T();
  if (declaration.format.read != nullptr && !declaration.format.read(text)) return std::nullopt;
  return read_with(parse, text);
}

Read read_kind(const Declaration& declaration, std::string_view name, std::string_view text) {
  switch (declaration.kind) {
    case Kind::kDuration:
      return read_duration(name, text);
    case Kind::kInteger:
      if (const auto number = read_plain<std::int64_t>(text)) return *number;
      return std::nullopt;
    case Kind::kNumber:
      return read_double(text);
    case Kind::kPercent:
      return read_percent(text);
    case Kind::kFlag:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case Kind::kText:
      return read_formatted(declaration, text);
    case Kind::kChoice:
      return read_choice(declaration, text);
    case Kind::kBytes:
      return read_with(parse_memory, text);
    case Kind::kCpu:
      return read_with(parse_cpu, text);
    case Kind::kEndpoint:
      return read_parsed(parse_endpoint, declaration, text);
    case Kind::kWebSocketUrl:
      return read_parsed(parse_websocket_url, declaration, text);
  }
  return std::nullopt;
}

/// Returns the value in the unit of Bounds; nullopt for kinds without one.
std::optional<double> amount_of(const Value& value) {
  if (const auto* duration = std::get_if<Duration>(&value))
    return static_cast<double>(duration->count());
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* bytes = std::get_if<Bytes>(&value)) return static_cast<double>(bytes->value);
  if (const auto* cpu = std::get_if<Millicores>(&value)) return static_cast<double>(cpu->value);
  return std::nullopt;
}

bool is_within(const Bounds& bounds, const Value& value) {
  const auto amount = amount_of(value);
  if (!amount || bounds.also == amount) return true;
  if (bounds.min && *amount < *bounds.min) return false;
  if (bounds.min && bounds.min_excluded && *amount == *bounds.min) return false;
  if (bounds.max && *amount > *bounds.max) return false;
  if (bounds.max && bounds.max_excluded && *amount == *bounds.max) return false;
  constexpr double kSecond = 1e9;
  return !bounds.whole_seconds || std::fmod(*amount, kSecond) == 0;
}

}  // namespace

Result<Value> read_value(const Declaration& declaration, std::string_view name,
                         std::string_view text) {
  // The largest values that people write are lists: static-answers, autoscaling.
  constexpr std::size_t kMost = std::size_t{64} * 1024;
  if (text.size() > kMost) {
    return fail(
        ErrorKind::kInvalidSetting, std::string(name),
        "has " + std::to_string(text.size()) + " bytes; want at most " + std::to_string(kMost));
  }
  Read value = read_kind(declaration, name, text);
  if (value && is_within(declaration.bounds, *value)) return *std::move(value);
  std::string want = valid_values_text(declaration);
  const bool is_number = declaration.kind == Kind::kInteger || declaration.kind == Kind::kNumber ||
                         declaration.kind == Kind::kPercent;
  if (is_number && has_leading_zero(text)) want += ", without a leading zero";
  const UnitEnding* unit = unit_in(name);
  if (declaration.kind == Kind::kDuration && unit != nullptr) {
    want += ", here as a bare number of " + std::string(unit->in_words);
  }
  return fail(ErrorKind::kInvalidSetting, std::string(name),
              "\"" + std::string(text) + "\": want " + want);
}

std::string_view bare_number_unit(std::string_view name) {
  const UnitEnding* unit = unit_in(name);
  return unit == nullptr ? std::string_view{} : unit->in_words;
}

}  // namespace bellows::config
