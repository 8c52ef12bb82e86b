#include "command/command.hpp"

#include <iostream>

#include "base/version.hpp"
#include "command/errors.hpp"

namespace bellows::command {

const Declarations& no_settings() {
  static const Declarations none;
  return none;
}

std::string called_name(std::string_view own, std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::string prefixed = std::string(kNamePrefix) + std::string(own);
  return file == prefixed ? prefixed : std::string(own);
}

std::string_view own_name(const Program& program) {
  std::string_view name = program.name;
  if (name.starts_with(kNamePrefix)) name.remove_prefix(kNamePrefix.size());
  return name;
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
