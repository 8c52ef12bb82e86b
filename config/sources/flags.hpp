// The command line of a program whose flags are exactly its settings.
#pragma once

#include <string>
#include <vector>

#include "config/layer.hpp"

namespace bellows::config {

struct CommandLine {
  Layer flags;         ///< also unknown ones: the schema reports them together with the rest
  std::string answer;  ///< what --help or --version asked for: print it, end with code 0
};

/// Reads "--name value", "--name=value", and "--name" alone for settings of kind kFlag. `about` is
/// the first line of the help. A word that is no flag is an unknown flag.
CommandLine read_command_line(const std::string& program, const std::string& about,
                              const std::vector<Declaration>& declarations,
                              const std::vector<std::string>& arguments);

}  // namespace bellows::config
