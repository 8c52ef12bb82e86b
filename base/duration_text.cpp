#include "base/duration_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

namespace bellows {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// The units in descending order. The longest run of letters is the unit, so "ms" is not read as
// "m". Days are only read: other programs, such as those written in Go, do not know them.
constexpr std::array<Unit, 7> kUnits = {{{"d", 86'400'000'000'000},
                                         {"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};

Error wrong_duration(std::string_view text, std::string_view why) {
  return Error(ErrorKind::kInvalidSetting, "duration \"" + std::string(text) + "\"",
               std::string(why) +
                   "; want a number with a unit (d, h, m, s, ms, us, ns), as in 90s or 1m30s");
}

std::optional<std::size_t> unit_index(std::string_view name) {
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  if (text.empty()) return fail(wrong_duration(text, "it is empty"));
  long double total = 0;
  std::size_t next_unit = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    double number = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + digits, number);
    if (digits == 0 || code != std::errc() || end != rest.data() + digits) {
      return fail(wrong_duration(text, "a number is missing"));
    }
    rest.remove_prefix(digits);
    const std::size_t letters = std::min(rest.find_first_of("0123456789."), rest.size());
    if (letters == 0) return fail(wrong_duration(text, "the unit is missing"));
    const auto index = unit_index(rest.substr(0, letters));
    if (!index)
      return fail(
          wrong_duration(text, "\"" + std::string(rest.substr(0, letters)) + "\" is no unit"));
    if (*index < next_unit)
      return fail(wrong_duration(text, "units go from large to small, each once"));
    next_unit = *index + 1;
    total +=
        static_cast<long double>(number) * static_cast<long double>(kUnits[*index].nanoseconds);
    rest.remove_prefix(letters);
  }
  if (total > static_cast<long double>(std::numeric_limits<std::int64_t>::max())) {
    return fail(wrong_duration(text, "it is longer than 292 years"));
  }
  return Duration(static_cast<std::int64_t>(std::llroundl(total)));
}

std::string duration_text(Duration duration) {
  std::int64_t left = duration.count();
  if (left == 0) return "0s";
  std::string text;
  for (const Unit& unit : std::span(kUnits).subspan(1)) {
    const std::int64_t whole = left / unit.nanoseconds;
    if (whole == 0) continue;
    text += std::to_string(whole);
    text += unit.name;
    left -= whole * unit.nanoseconds;
  }
  return text;
}

std::string rounded_duration_text(Duration duration) {
  const double seconds = to_seconds(duration);
  if (seconds >= 60) {
    return duration_text(std::chrono::round<std::chrono::seconds>(duration));
  }
  std::array<char, 32> text{};
  const auto print = [&](double value, const char* unit) {
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(text.data(), text.size(), "%.*f%s", decimals, value, unit);
    return std::string(text.data());
  };
  if (seconds >= 1) return print(seconds, "s");
  if (seconds >= 1e-3) return print(seconds * 1e3, "ms");
  if (seconds >= 1e-6) return print(seconds * 1e6, "us");
  return std::to_string(duration.count()) + "ns";
}

}  // namespace bellows
