// The command line of a program whose flags are exactly its settings. Why no library splits the
// words: docs/decisions/0007-flags-are-settings.md.
#pragma once

#include <string>
#include <vector>

#include "config/layer.hpp"

namespace bellows::config {

struct CommandLine {
  Layer flags;       ///< wrong ones too: the schema reports them together with the rest
  std::string help;  ///< what --help or -h asked for: print it and end with code 0
};

/// Reads "--name value", "--name=value", and "--name" alone (true) for settings of kind kFlag.
/// `about` is the help's sentence on the program. `words` is argv without the program.
CommandLine read_command_line(const std::string& program, const std::string& about,
                              const std::vector<Declaration>& declarations,
                              const std::vector<std::string>& words);

}  // namespace bellows::config
