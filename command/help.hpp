// The help texts, made from the table of commands and the declared settings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/command.hpp"

namespace bellows::command {

/// What `PROGRAM --help` prints: what the program is for and its commands.
std::string overview(const Program& program);

/// What `PROGRAM COMMAND --help` prints: synopsis, summary, details, and its flags or subcommands.
/// Of a command with main settings: these and the groups of the others, or all of them, or those
/// that the topic's word is part of.
std::string command_help(const Program& program, const Command& command,
                         const HelpTopic& topic = {});

/// The settings that its help and its manual page list.
Declarations listed_settings(const Command& command);

/// What both say of the program and of a command, with the name by which the program was called in
/// the examples.
std::string about_text(const Program& program);
std::string details_text(const Program& program, const Command& command);

/// Its settings whose name or group has `word` in it, in any case.
Declarations settings_about(const Command& command, std::string_view word);

/// One line per command in columns: the last word of its name and its summary.
std::string command_table(std::span<const Command> commands);

}  // namespace bellows::command
