// Errors of a command on standard error, and their exit codes.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/command.hpp"

namespace bellows::command {

/// Returns "bellows run", for messages.
std::string full_name(const Invocation& invocation);

/// Prints one line per error and the command that shows the help. Returns kUsageError.
int usage_error(const Invocation& invocation, const std::vector<Error>& errors);
int usage_error(const Invocation& invocation, const Error& error);
/// Prints what is wrong with the arguments, and the synopsis. Returns kUsageError.
int usage_error(const Invocation& invocation, const std::string& message);

/// Prints what failed while the command ran. Returns kFailure.
int report_failure(const Invocation& invocation, const Error& error);

}  // namespace bellows::command
