// The command line of a program without commands: a service whose flags are its settings.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "base/sys/descriptor_reserve.hpp"
#include "base/version.hpp"
#include "command/command.hpp"
#include "command/errors.hpp"
#include "config/command_line.hpp"
#include "config/help.hpp"
#include "config/schema.hpp"
#include "config/sources/environment.hpp"

namespace bellows::command {

/// Reads the settings from the environment and the command line. Otherwise returns the exit code:
/// kSuccess after --help or --version was printed, kUsageError after every error was printed to
/// standard error. `about` is the sentence about the program in its help.
template <class T>
tl::expected<T, int> read_service_settings(const config::Schema<T>& schema, const std::string& name,
                                           const std::string& about, int argc, char** argv) {
  const std::string program = called_name(name, argv[0]);
  sys::open_standard_descriptors();
  const auto& declared = schema.declarations();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    std::cout << program << " " << kVersion << "\n";
    return tl::unexpected(kSuccess);
  }
  const config::CommandLine line = config::read_command_line(program, about, declared, words);
  if (!line.help.empty()) {
    std::cout << line.help;
    return tl::unexpected(kSuccess);
  }
  const config::Layer layers[] = {config::environment_layer(declared, config::read_environment()),
                                  line.flags};
  auto settings = schema.apply(layers);
  if (settings) return std::move(*settings);
  std::cerr << config::problems_text(settings.error(), program);
  std::cerr << "`" << program
            << (config::main_settings(declared).empty() ? " --help" : " --help-all")
            << "` lists valid settings.\n";
  return tl::unexpected(kUsageError);
}

}  // namespace bellows::command
