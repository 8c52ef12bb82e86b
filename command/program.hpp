// Runs one command line.
#pragma once

#include "command/command.hpp"

namespace bellows::command {

/// Finds the command that `argv` names, prints its help if asked, otherwise reads its arguments and
/// runs it. --help and --version stand for the overview and for the command `version`; in general
/// --NAME as the first word stands for the command NAME. Returns the exit code; it is kFailure if
/// standard output could not be written.
int run_program(const Program& program, int argc, char** argv);

}  // namespace bellows::command
