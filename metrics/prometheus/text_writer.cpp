#include "metrics/prometheus/text_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace bellows::metrics::prometheus {
namespace {

template <class Number>
void append_digits(Number value, std::string& text) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end.ptr);
}

bool is_whole(double value) {
  constexpr double kMax = 1e15;
  return std::abs(value) < kMax && value == static_cast<double>(static_cast<std::int64_t>(value));
}

bool is_escaped(char letter) {
  return letter == '\\' || letter == '"' || letter == '\n';
}

}  // namespace

void append_value(double value, std::string& text) {
  if (is_whole(value)) {
    append_digits(static_cast<std::int64_t>(value), text);
  } else if (std::isfinite(value)) {
    append_digits(value, text);
  } else {
    text += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
}

void append_label_value(std::string_view value, std::string& text) {
  if (std::none_of(value.begin(), value.end(), is_escaped)) {  // nearly always
    text.append(value);
    return;
  }
  for (const char letter : value) {
    if (is_escaped(letter)) text += '\\';
    text += letter == '\n' ? 'n' : letter;
  }
}

void TextWriter::start_family(std::string_view name, std::string_view help, std::string_view type) {
  drop_empty_family();
  family_ = name;
  family_begin_ = text_.size();
  text_.append("# HELP ").append(name).append(" ").append(help);
  text_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  series_begin_ = text_.size();
}

void TextWriter::drop_empty_family() {
  if (text_.size() == series_begin_) text_.resize(family_begin_);
}

std::string TextWriter::take() {
  drop_empty_family();
  std::string text = std::move(text_);
  *this = {};
  return text;
}

}  // namespace bellows::metrics::prometheus
