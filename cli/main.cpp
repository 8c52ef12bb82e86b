// bellows: the command line.
#include <algorithm>
#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"
#include "config/suggestion.hpp"

namespace {

using namespace bellows;

int unknown_command(const std::string& name) {
  std::vector<std::string> names;
  for (const cli::Command& command : cli::commands()) names.emplace_back(command.name);
  const std::string meant = config::suggestion(name, names);
  std::cerr << "bellows: \"" << name << "\" is no command"
            << (meant.empty() ? ";" : "; did you mean \"" + meant + "\"?")
            << " `bellows --help` lists them\n";
  return cli::kUsage;
}

/// What was printed and reached nobody is a failure of its own.
int after_printing(int code) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return code;
  // Nobody knows why any more if it failed before.
  const Error error = errno == 0 ? Error(ErrorKind::kSystem, "standard output", "cannot be written")
                                 : system_error("standard output", "cannot be written", errno);
  std::cerr << "bellows: " << to_string(error) << "\n";
  return code == cli::kSuccess ? cli::kFailure : code;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::cerr << cli::overview();
    return cli::kUsage;
  }
  std::string name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << cli::overview();
    return after_printing(cli::kSuccess);
  }
  if (name == "--version") name = "version";
  const auto commands = cli::commands();
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.name == name; });
  if (command == commands.end()) return unknown_command(name);
  return after_printing(
      command->run(*command, cli::split_arguments(std::span(arguments).subspan(1))));
}
