// The first step of every main(): reads the settings from environment and command line, and answers
// --help and --version.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "config/command_line.hpp"
#include "config/schema.hpp"
#include "config/sources/environment.hpp"

namespace bellows::config {

/// Returns the settings, or the exit code: 0 after --help or --version, 2 after every problem was
/// printed to standard error. Prints a warning for each deprecated name or value.
template <class T>
tl::expected<T, int> read_program_settings(const Schema<T>& schema, const std::string& program,
                                           const std::string& about, int argc, char** argv) {
  const auto& declared = schema.declarations();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"}) {
    std::cout << program << " " << kVersion << "\n";
    return tl::unexpected(0);
  }
  const CommandLine line = read_command_line(program, about, declared, arguments);
  if (!line.help.empty()) {
    std::cout << line.help;
    return tl::unexpected(0);
  }
  const Layer layers[] = {environment_layer(declared, read_environment()), line.flags};
  auto settings = schema.apply(layers);
  if (settings) {
    for (const std::string& warning : deprecation_warnings(declared, layers)) {
      std::cerr << program << ": warning: " << warning << "\n";
    }
    return std::move(*settings);
  }
  std::cerr << problems_text(settings.error(), program);
  return tl::unexpected(2);
}

}  // namespace bellows::config
