// The help texts, made from the table of commands and the declared settings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/command.hpp"

namespace bellows::command {

/// Returns the output of `PROGRAM --help`: the purpose of the program and its commands.
std::string overview(const Program& program);

/// Returns the output of `PROGRAM COMMAND --help`: synopsis, summary, details, and its flags or
/// subcommands. Of a command with several tiers of settings: the main ones and the groups of the
/// others, or all of them, or those that contain the topic's word.
std::string command_help(const Program& program, const Command& command,
                         const HelpTopic& topic = {});

/// Returns the settings in its help and its manual page.
Declarations listed_settings(const Command& command);
/// Returns true if --help describes only the main ones of them.
bool has_tiers(const Command& command);

/// Returns the text of both about the program and a command, with the name by which the program was
/// called in the examples.
std::string about_text(const Program& program);
std::string details_text(const Program& program, const Command& command);

/// Returns the settings whose name or group contains `word`, in any case.
Declarations settings_about(const Command& command, std::string_view word);

/// Returns one line per command in columns: the last word of its name and its summary.
std::string command_table(std::span<const Command> commands);

}  // namespace bellows::command
