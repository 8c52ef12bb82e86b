// The command line of a program whose flags are exactly its settings. docs/dependencies.md has the
// reason for a parser of our own.
#pragma once

#include <string>
#include <vector>

#include "config/layer.hpp"

namespace bellows::config {

struct CommandLine {
  Layer flags;       ///< invalid ones too, which the schema reports with all others
  std::string help;  ///< the text after --help, -h or --help-all: print it and exit with 0
};

/// Reads "--name value", "--name=value", and "--name" alone (true) for settings of kind kFlag.
/// `about` describes the program in the help text. `arguments` is argv without the program.
CommandLine read_command_line(const std::string& program, const std::string& about,
                              const std::vector<Declaration>& declarations,
                              const std::vector<std::string>& arguments);

/// Returns "bellows simulate --trace 'my file.csv' --json": the program and its flags, quoted for a
/// shell.
std::string command_line_text(const std::string& program, const Layer& flags);

}  // namespace bellows::config
