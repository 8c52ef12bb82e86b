// The manual pages, made like the help from the table of commands and the declared settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "command/command.hpp"

namespace bellows::command {

struct ManualPage {
  std::string name;  ///< "bellows-run"; its file is name.1
  std::string text;  ///< in the macros of man(7)
};

/// Returns all pages of a program: its own, then one for each command and subcommand. Pure.
std::vector<ManualPage> manual_pages(const Program& program);

/// Returns the page of a program without commands. `about` is the sentence of its help. Pure.
ManualPage service_manual(const std::string& name, const std::string& about,
                          const Declarations& declarations);

/// Writes every page into a folder as PAGE.1. The error names the file.
Result<void> write_pages(const std::vector<ManualPage>& pages, const std::string& folder);

const Declarations& manual_settings();
int print_manual(const Invocation& invocation);

/// The row for any program's table.
inline constexpr Command kManualCommand{
    .name = "man",
    .synopsis = "man [COMMAND...] [--folder FOLDER]",
    .summary = "Print the manual page of the program or of a command",
    .details =
        R"(In the macros of man(7):

  PROGRAM man run | man -l -
)",
    .settings = manual_settings,
    .run = print_manual,
    .reads_environment = false};

}  // namespace bellows::command
