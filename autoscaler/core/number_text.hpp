// Numbers for people.
#pragma once

#include <string>

#include "base/units.hpp"

namespace bellows::autoscaler {

/// Three digits, no needless zeros: 0.333, 4.46, 31.2, 1234.
std::string rounded_number_text(double value);

/// "1 replica", "3 replicas".
std::string replicas_text(PodCount count);

}  // namespace bellows::autoscaler
