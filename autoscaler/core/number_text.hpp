// Numbers and durations for people.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// Three digits, no needless zeros: 0.333, 4.46, 31.2, 1234.
std::string rounded_number_text(double value);

/// "1 replica", "3 replicas".
std::string replicas_text(PodCount count);

/// Rounded: "4m10s".
std::string whole_seconds_text(Duration duration);

/// "23s of the last 1m".
std::string known_text(std::int32_t known_seconds, Duration window);

}  // namespace bellows::autoscaler
