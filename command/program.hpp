// Runs one command line.
#pragma once

#include "command/command.hpp"

namespace bellows::command {

/// Finds the command that `argv` names, prints its help if requested, otherwise reads its arguments
/// and runs it. --help and --version mean the overview and the command `version`; in general --NAME
/// as the first word means the command NAME. Returns the exit code; it is kFailure if standard
/// output could not be written.
int run_program(const Program& program, int argc, char** argv);

}  // namespace bellows::command
