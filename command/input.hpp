// FILE arguments of commands.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::command {

/// The FILE that means standard input.
inline constexpr std::string_view kStandardInput = "-";

/// Returns the name of `file` in messages: "standard input" for "-".
std::string input_name(const std::string& file);

/// Reads all of `file`, or of standard input for "-", which can be read only once. `what` precedes
/// the file in the error: "the trace".
Result<std::string> read_input(const std::string& file, std::string_view what);

/// Does the same in chunks, for files that may be larger than memory. Stops at the first error of
/// `use` and returns it.
Result<void> read_input_in_chunks(const std::string& file, std::string_view what,
                                  const std::function<Result<void>(std::string_view)>& use);

}  // namespace bellows::command
