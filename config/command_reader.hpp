// The commands of a service in a bellows.yaml: command, or start and stop. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.hpp"
#include "config/route_reader.hpp"

namespace bellows::config {

struct ReadCommands {
  std::vector<std::string> command;  ///< or `start`
  bool is_starter = false;
  std::vector<std::string> stop;
  int line = 0;  ///< of the command; 0: there is none
};

/// Returns true for the members of a service that read_commands() reads.
bool is_command_key(std::string_view key);

/// Reads the members of a service that start and end its app:
///   command: a list, the program that runs as long as the app
///   start: a list instead of it, the program that starts the app and ends; it needs a stop
///   stop: a list, the program that ends the app
ReadCommands read_commands(const DocumentNode& service, const ReportProblem& problem);

}  // namespace bellows::config
