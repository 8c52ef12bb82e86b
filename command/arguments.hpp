// The arguments of one command, split into flags and the rest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/layer.hpp"

namespace bellows::command {

/// `PROGRAM COMMAND positional --flag value positional -- rest`.
struct Arguments {
  std::vector<config::Layer> layers;    ///< environment, then flags; the later layer wins
  std::vector<std::string> positional;  ///< a service, a file, ...; "-" is one of them
  std::vector<std::string> rest;        ///< after "--", as it was written

  const config::Layer& flags() const { return layers.back(); }
};

/// Splits `words`, the command line after the command's name. "--flag=value", "--flag value" and,
/// for an alias of one letter, "-o value" mean the same. Which of two words is the value of a flag
/// follows from the declaration of the flag, so positional arguments may stand anywhere. Errors
/// stay in the flags' layer: applying the schema reports them together with the others.
/// `environment` is empty for a command that reads none.
Arguments split_arguments(std::span<const std::string> words,
                          const std::vector<config::Declaration>& declarations,
                          const config::Environment& environment = {});

/// Returns true if --help or -h precedes "--".
bool asks_for_help(std::span<const std::string> words);

/// The requested part of the help.
struct HelpTopic {
  bool is_all = false;  ///< --help-all
  std::string word;     ///< --help WORD: of a group of settings or of their names; empty: none
};
/// Returns nullopt if no help is requested.
std::optional<HelpTopic> help_topic(std::span<const std::string> words);

/// Returns the entries of `flags` that `declarations` declare, and removes them from `flags`.
config::Layer take_declared(config::Layer& flags,
                            const std::vector<config::Declaration>& declarations);

}  // namespace bellows::command
