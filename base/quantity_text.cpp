#include "base/quantity_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace bellows {

namespace {

struct Suffix {
  std::string_view name;
  double factor;
};

constexpr std::array<Suffix, 8> kMemorySuffixes = {{{"Ki", 0x1p10},
                                                    {"Mi", 0x1p20},
                                                    {"Gi", 0x1p30},
                                                    {"Ti", 0x1p40},
                                                    {"k", 1e3},
                                                    {"M", 1e6},
                                                    {"G", 1e9},
                                                    {"T", 1e12}}};

Error wrong_amount(std::string_view text, std::string_view want) {
  return Error(ErrorKind::kInvalidSetting, "amount \"" + std::string(text) + "\"",
               "want " + std::string(want));
}

/// Removes the number at the start of `text` and returns it. It is an error if the number is
/// negative, infinite or missing.
Result<double> take_number(std::string_view& text, const Error& error) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !(number >= 0) || !std::isfinite(number)) return fail(error);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Returns `value` if it is whole and fits.
Result<std::int64_t> whole(double value, const Error& error) {
  constexpr double kLimit = 0x1p62;
  if (value != std::floor(value) || value > kLimit) return fail(error);
  return static_cast<std::int64_t>(value);
}

}  // namespace

Result<Millicores> parse_cpu(std::string_view text) {
  const Error error = wrong_amount(text, "CPU in cores or thousandths: 2, 0.5, 250m");
  std::string_view rest = text;
  BELLOWS_TRY(const double number, take_number(rest, error));
  if (!rest.empty() && rest != "m") return fail(error);
  // 0.29 * 1000 is 290.00000000000006: whole millicores within the error of doubles.
  const double millicores = rest == "m" ? number : std::round(number * 1e9) / 1e6;
  BELLOWS_TRY(const std::int64_t value, whole(millicores, error));
  return Millicores{value};
}

Result<Bytes> parse_memory(std::string_view text) {
  const Error error =
      wrong_amount(text, "memory in bytes or with a suffix: 64Mi, 1Gi, 500M, 1048576");
  std::string_view rest = text;
  BELLOWS_TRY(const double number, take_number(rest, error));
  double factor = rest.empty() ? 1 : 0;
  for (const Suffix& suffix : kMemorySuffixes) {
    if (rest == suffix.name) factor = suffix.factor;
  }
  if (factor == 0) return fail(error);
  BELLOWS_TRY(const std::int64_t value, whole(number * factor, error));
  return Bytes{value};
}

std::string to_string(Millicores cpu) {
  return std::to_string(cpu.value) + "m";
}

std::string to_string(Bytes memory) {
  constexpr std::array<std::string_view, 5> kNames = {"", "Ki", "Mi", "Gi", "Ti"};
  std::int64_t value = memory.value;
  std::size_t power = 0;
  while (value != 0 && value % 1024 == 0 && power + 1 < kNames.size()) {
    value /= 1024;
    ++power;
  }
  return std::to_string(value) + std::string(kNames[power]);
}

std::string rounded_text(Bytes memory) {
  constexpr std::int64_t kMaxBinary = 9999;  // 1536Mi is as good as 1.5Gi
  constexpr std::int64_t kMaxDecimal = 999;
  constexpr std::array<std::string_view, 4> kDecimal = {"k", "M", "G", "T"};
  constexpr std::array<const char*, 5> kBinary = {"", "Ki", "Mi", "Gi", "Ti"};
  if (memory.value % 1024 == 0) {
    std::string exact = to_string(memory);
    if (std::stoll(exact) <= kMaxBinary) return exact;
  }
  std::int64_t rest = memory.value;
  for (const std::string_view suffix : kDecimal) {
    if (rest % 1000 != 0) break;
    rest /= 1000;
    if (rest <= kMaxDecimal) return std::to_string(rest) + std::string(suffix);
  }
  auto value = static_cast<double>(memory.value);
  std::size_t power = 0;
  while (value >= 999.5 && power + 1 < kBinary.size()) {
    value /= 1024;
    ++power;
  }
  std::array<char, 32> text{};
  const int decimals = power == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f%s", decimals, value, kBinary[power]);
  return text.data();
}

}  // namespace bellows
