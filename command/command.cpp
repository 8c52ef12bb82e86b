#include "command/command.hpp"

#include <iostream>

#include "base/version.hpp"
#include "command/errors.hpp"

namespace bellows::command {

const Declarations& no_settings() {
  static const Declarations none;
  return none;
}

std::string_view last_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

int print_version(const Invocation& invocation) {
  if (!invocation.arguments.positional.empty())
    return usage_error(invocation, "takes no arguments");
  std::cout << invocation.program.name << " " << kVersion << "\n";
  return kSuccess;
}

}  // namespace bellows::command
