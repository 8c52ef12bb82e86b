// Numbers as text: exact where the text is read back, rounded where people read it.
#pragma once

#include <string>

namespace bellows {

/// The shortest text that reads back to the same double: "3", "0.1", "-0", "1e+22", "inf". For
/// formats that are read back.
std::string shortest_text(double number);
void append_shortest(double number, std::string& out);

/// Every digit and never an exponent: "4000000000", "0.01". For limits and settings. `number` must
/// be finite.
std::string plain_text(double number);

/// Six significant digits, but all digits before the point: "30.2", "103809024", "0.998003",
/// "infinity". With an exponent from 1e18 on and below 1e-9. For computed values in messages.
std::string readable_text(double number);

/// `digits` significant digits, with an exponent where that is shorter: "0.1235", "1.2e+10".
std::string significant_text(double number, int digits);

/// Exactly `decimals` digits after the point: "0.250".
std::string fixed_text(double number, int decimals);

}  // namespace bellows
