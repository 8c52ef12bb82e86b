// Numbers for people: in messages, reasons and help. What has to be read back exactly is
// replay::number_text.
#pragma once

#include <string>

namespace bellows {

/// Limits and settings: every digit, never an exponent: 4000000000, 0.01. Finite numbers only.
std::string plain_text(double number);

/// What was computed: six digits, but all of those before the point: 30.2, 103809024, 0.998003,
/// infinity. An exponent from 1e18 on and below 1e-9.
std::string readable_text(double number);

}  // namespace bellows
