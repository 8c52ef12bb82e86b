// The command `completion`: scripts for bash, zsh and fish.
#pragma once

#include <string>

#include "command/command.hpp"

namespace bellows::command {

/// Prints the script for the shell that the only argument names.
int print_completion(const Invocation& invocation);

/// Returns the installation of the scripts; the details of the command's help.
std::string completion_details(const Program& program);

/// The row for any program's table.
inline constexpr Command kCompletionCommand{.name = "completion",
                                            .synopsis = "completion bash|zsh|fish",
                                            .summary = "Print a shell completion script",
                                            .run = print_completion,
                                            .more_details = completion_details};

/// Returns the script, which completes the commands, their subcommands, their flags and the values
/// of these, what the synopsis names (a few words, or NAME: the services of a running Bellows), and
/// files. Pure.
std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

/// A program without commands; its functions do the same as those above. Pure.
struct ServiceCompletion {
  std::string bash;
  std::string zsh;
  std::string fish;
};
ServiceCompletion service_completion(const std::string& name, const Declarations& settings);

}  // namespace bellows::command
