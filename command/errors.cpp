#include "command/errors.hpp"

#include <iostream>

#include "command/help.hpp"

namespace bellows::command {

std::string full_name(const Invocation& invocation) {
  return std::string(invocation.program.name) + " " + std::string(invocation.command.name);
}

int usage_error(const Invocation& invocation, const std::vector<Error>& errors) {
  const std::string name = full_name(invocation);
  for (const Error& error : errors) std::cerr << name << ": " << to_string(error) << "\n";
  std::cerr << "`" << name << (has_tiers(invocation.command) ? " --help-all" : " --help")
            << "` lists valid arguments and settings.\n";
  return kUsageError;
}

int usage_error(const Invocation& invocation, const Error& error) {
  return usage_error(invocation, std::vector{error});
}

int usage_error(const Invocation& invocation, const std::string& message) {
  std::cerr << full_name(invocation) << ": " << message << "\nusage: " << invocation.program.name
            << " " << invocation.command.synopsis << "\n";
  return kUsageError;
}

int report_failure(const Invocation& invocation, const Error& error) {
  std::cerr << full_name(invocation) << ": " << to_string(error) << "\n";
  return kFailure;
}

}  // namespace bellows::command
