// FILE arguments of commands.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::command {

/// The FILE that means standard input.
inline constexpr std::string_view kStandardInput = "-";

/// How messages call `file`: "standard input" for "-".
std::string input_name(const std::string& file);

/// Reads all of `file`, or of standard input for "-", which can be read only once. `what` precedes
/// the file in the error: "the trace".
Result<std::string> read_input(const std::string& file, std::string_view what);

}  // namespace bellows::command
