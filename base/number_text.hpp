// Numbers as text: exact where the text is read back, rounded where people read it.
#pragma once

#include <string>

namespace bellows {

/// Returns the shortest text that reads back to the same double: "3", "0.1", "-0", "1e+22", "inf".
/// Formats that are read back use it.
std::string shortest_text(double number);
void append_shortest(double number, std::string& out);

/// Returns every digit and never an exponent: "4000000000", "0.01". Limits and settings use it.
/// `number` must be finite.
std::string plain_text(double number);

/// Returns six significant digits, but all digits before the point: "30.2", "103809024",
/// "0.998003", "infinity". The text has an exponent from 1e18 on and below 1e-9. Computed values in
/// messages use it.
std::string readable_text(double number);

/// Returns `digits` significant digits, with an exponent where that is shorter: "0.1235",
/// "1.2e+10".
std::string significant_text(double number, int digits);

/// Returns exactly `decimals` digits after the point: "0.250".
std::string fixed_text(double number, int decimals);

}  // namespace bellows
