// The commands of `recommender`: their table, and the function that runs each.
#pragma once

#include "command/command.hpp"
#include "command/errors.hpp"

namespace bellows::recommender {

using command::Invocation;
using command::kFailure;
using command::kSuccess;
using command::kUsageError;
using command::report_failure;
using command::usage_error;

/// Returns all commands in the order of the help. Thread: any.
const command::Program& recommender_program();

int run_replay(const Invocation& invocation);      ///< recommender replay
int run_explain(const Invocation& invocation);     ///< recommender explain
int run_score(const Invocation& invocation);       ///< recommender score
int run_serve(const Invocation& invocation);       ///< recommender serve
int print_settings(const Invocation& invocation);  ///< recommender settings

/// Prints a usage error for input that is not valid, otherwise a failure. Returns the exit code.
int report_error(const Invocation& invocation, const Error& error);

}  // namespace bellows::recommender
