#include "json/seconds.hpp"

#include <cmath>

namespace bellows::json {

Duration exact_seconds(double seconds) {
  // A decimal with up to three digits names milliseconds; the double nearest to it is up to 0.2 us
  // away, so the milliseconds are recovered by rounding.
  const std::int64_t milliseconds = std::llround(seconds * 1000);
  if (static_cast<double>(milliseconds) / 1000 == seconds) {
    return std::chrono::milliseconds(milliseconds);
  }
  const double whole = std::floor(seconds);
  return std::chrono::seconds(static_cast<std::int64_t>(whole)) +
         Duration(std::llround((seconds - whole) * 1e9));
}

double seconds_number(Duration duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

}  // namespace bellows::json
