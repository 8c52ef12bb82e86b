// A program as a table of commands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/arguments.hpp"
#include "config/field.hpp"

namespace bellows::command {

/// Exit codes of every program.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;     ///< the command ran and failed
inline constexpr int kUsageError = 2;  ///< the command line or a setting is invalid

struct Command;
struct Program;

/// The input of a command. Owner: run_program(), for the duration of the call.
struct Invocation {
  const Program& program;
  const Command& command;
  Arguments arguments;
};

using Declarations = std::vector<config::Declaration>;

/// The declarations of a command without settings.
const Declarations& no_settings();

/// One row of the table. All texts have static storage.
struct Command {
  std::string_view name;  ///< "status"; a subcommand has its parent's name first: "replay windows"
  std::string_view synopsis;      ///< "run [flags] -- COMMAND [ARGS...]"
  std::string_view summary;       ///< one line for the overview, without a full stop
  std::string_view details = {};  ///< further paragraphs of its help, with examples; whole lines
  const Declarations& (*settings)() = no_settings;     ///< the flags that it accepts
  int (*run)(const Invocation& invocation) = nullptr;  ///< returns the exit code

  // Few commands have the following members.
  std::string (*more_details)(const Program& program) = nullptr;  ///< details made at run time
  const Declarations& (*listed_settings)() = nullptr;  ///< the settings in its help, if not all
  bool reads_environment = true;  ///< settings may also come from environment variables
  std::span<const Command> (*subcommands)() = nullptr;  ///< if set, `run` is not called
};

struct Program {
  std::string_view name;
  std::string_view about;  ///< first paragraphs of the overview; whole lines
  std::span<const Command> commands;
  /// Returns what to call instead of a command that other programs have; empty: none is known.
  std::string_view (*instead_of)(std::string_view name) = nullptr;
};

/// Packages install every program but `bellows` with this prefix, since some names alone are those
/// of other programs.
inline constexpr std::string_view kNamePrefix = "bellows-";

/// Returns the name under which the program at `path` (argv[0]) was called: `own`, or with the
/// prefix.
std::string called_name(std::string_view own, std::string_view path);
/// Returns the name without the prefix: "slack" of a program that was called as "bellows-slack".
std::string_view own_name(const Program& program);

/// Returns the last word of a command's name: "windows" of "replay windows".
std::string_view last_word(const Command& command);

/// Prints "PROGRAM VERSION".
int print_version(const Invocation& invocation);

/// A row of any program's table; --version calls it too.
inline constexpr Command kVersionCommand{
    .name = "version", .synopsis = "version", .summary = "Print the version", .run = print_version};

}  // namespace bellows::command
