// What every main does first: its settings from environment and command line, or a word to the
// user.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "config/command_line.hpp"
#include "config/schema.hpp"
#include "config/sources/environment.hpp"

namespace bellows::config {

/// The settings; or the exit code: 0 after --help or --version was answered, 2 after every problem
/// was printed to standard error.
template <class T>
tl::expected<T, int> read_program_settings(const Schema<T>& schema, const std::string& program,
                                           const std::string& about, int argc, char** argv) {
  const auto& declared = schema.declarations();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    std::cout << program << " " << kVersion << "\n";
    return tl::unexpected(0);
  }
  const CommandLine line = read_command_line(program, about, declared, words);
  if (!line.help.empty()) {
    std::cout << line.help;
    return tl::unexpected(0);
  }
  auto settings = schema.apply({environment_layer(declared, read_environment()), line.flags});
  if (settings) return std::move(*settings);
  std::cerr << problems_text(settings.error(), program);
  return tl::unexpected(2);
}

}  // namespace bellows::config
