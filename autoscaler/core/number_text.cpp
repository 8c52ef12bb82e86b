#include "autoscaler/core/number_text.hpp"

#include <array>
#include <cstdio>

#include "base/duration_text.hpp"

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

std::string whole_seconds_text(Duration duration) {
  return duration_text(std::chrono::round<std::chrono::seconds>(duration));
}

std::string known_text(std::int32_t known_seconds, Duration window) {
  return std::to_string(known_seconds) + "s of the last " + duration_text(window);
}

}  // namespace bellows::autoscaler
