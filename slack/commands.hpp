// The commands of `slack`: their table, and the function that runs each.
#pragma once

#include "command/command.hpp"
#include "command/errors.hpp"

namespace bellows::slack {

/// Returns all commands in the order of the help. Thread: any.
const command::Program& slack_program();

int run_plan(const command::Invocation& invocation);    ///< slack plan
int run_probe(const command::Invocation& invocation);   ///< slack probe
int run_report(const command::Invocation& invocation);  ///< slack report
int run_sim(const command::Invocation& invocation);     ///< slack sim

/// Prints a usage error for input that is not valid, otherwise a failure. Returns the exit code.
int report_error(const command::Invocation& invocation, const Error& error);

}  // namespace bellows::slack
