// The help texts, made from the table of commands and the declared settings.
#pragma once

#include <span>
#include <string>

#include "command/command.hpp"

namespace bellows::command {

/// What `PROGRAM --help` prints: what the program is for and its commands.
std::string overview(const Program& program);

/// What `PROGRAM COMMAND --help` prints: synopsis, summary, details, and its flags or subcommands.
std::string command_help(const Program& program, const Command& command);

/// One line per command in columns: the last word of its name and its summary.
std::string command_table(std::span<const Command> commands);

}  // namespace bellows::command
