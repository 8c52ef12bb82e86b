#include "replay/seconds.hpp"

#include <cmath>

namespace bellows::replay {

Duration exact_seconds(double seconds) {
  const double whole = std::floor(seconds);
  return std::chrono::seconds(static_cast<std::int64_t>(whole)) +
         Duration(std::llround((seconds - whole) * 1e9));
}

double seconds_number(Duration span) {
  return static_cast<double>(span.count()) / 1e9;
}

}  // namespace bellows::replay
