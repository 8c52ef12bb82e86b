// Help and complaints: what every command says before it does anything.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "config/layer.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

/// The overview of all commands.
std::string overview();

/// A table of commands by their last words, each with its line, in columns.
std::string command_table(std::span<const Command> commands);

/// The help of one command: synopsis, what it does, its flags.
std::string help_of(const Command& command);

/// Prints "bellows COMMAND: ..." for each problem to standard error. The exit code for it: 2.
int complain(const Command& command, const std::vector<Error>& problems);
int complain(const Command& command, const std::string& problem);

/// Prints one line for what failed while running. The exit code for it: 1.
int give_up(const Command& command, const Error& error);

/// Environment and flags of the command line as layers, in the order in which they win; or, if the
/// line asked for help, its text was printed and this is empty.
std::optional<std::vector<config::Layer>> read_layers(const Command& command,
                                                      const Arguments& arguments);

/// What a command is asked that takes words.
struct Asked {
  std::vector<config::Layer> layers;
  std::vector<std::string> words;  ///< before, among and behind the flags
};
/// The same for such a command.
std::optional<Asked> read_asked(const Command& command, const Arguments& arguments);

}  // namespace bellows::cli
