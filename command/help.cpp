#include "command/help.hpp"

#include <algorithm>

#include "config/help.hpp"

namespace bellows::command {

namespace {

std::string flags_help(const Command& command) {
  Declarations listed = command.listed_settings ? command.listed_settings() : command.settings();
  if (!command.reads_environment) {
    for (config::Declaration& declaration : listed) declaration.variable.clear();
  }
  return listed.empty() ? "" : "\n" + config::flag_help(listed);
}

}  // namespace

std::string command_table(std::span<const Command> commands) {
  std::size_t widest = 0;
  for (const Command& command : commands) widest = std::max(widest, last_word(command).size());
  std::string text;
  for (const Command& command : commands) {
    const std::string_view name = last_word(command);
    text += "  " + std::string(name) + std::string(widest + 3 - name.size(), ' ');
    text += std::string(command.summary) + "\n";
  }
  return text;
}

std::string overview(const Program& program) {
  const std::string name(program.name);
  return "usage: " + name + " COMMAND [ARGUMENTS...]\n\n" + std::string(program.about) +
         "\nCommands:\n" + command_table(program.commands) + "\n`" + name +
         " COMMAND --help` describes one of them. Exit codes: 0 success, 1 failure, 2 usage "
         "error.\n";
}

std::string command_help(const Program& program, const Command& command) {
  const std::string name(program.name);
  std::string text = "usage: " + name + " " + std::string(command.synopsis) + "\n\n" +
                     std::string(command.summary) + ".\n";
  if (!command.details.empty()) text += "\n" + std::string(command.details);
  if (command.more_details != nullptr) text += "\n" + command.more_details(program);
  if (command.subcommands == nullptr) return text + flags_help(command);
  return text + "\nCommands:\n" + command_table(command.subcommands()) + "\n`" + name + " " +
         std::string(command.name) + " COMMAND --help` describes one of them.\n";
}

}  // namespace bellows::command
