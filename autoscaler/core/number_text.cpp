#include "autoscaler/core/number_text.hpp"

#include <array>
#include <cstdio>

namespace bellows::autoscaler {

std::string rounded_number_text(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text = buffer.data();
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string replicas_text(PodCount count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

}  // namespace bellows::autoscaler
