#include "command/help.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/text_parts.hpp"
#include "config/help.hpp"
#include "config/schema.hpp"

namespace bellows::command {

namespace {

/// Returns `text` with `name` for `own` where a command line begins: indented, or after a pipe.
std::string called_by(std::string text, std::string_view own, std::string_view name) {
  if (own == name) return text;
  for (const std::string_view before : {"  ", "| "}) {
    const std::string wanted = std::string(before) + std::string(own) + " ";
    for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; at += name.size()) {
      text.replace(at + before.size(), own.size(), name);
    }
  }
  return text;
}

std::string flags_help(const Declarations& listed) {
  return listed.empty() ? "" : "\n" + config::flag_help(listed);
}

/// Returns "  Log                    3", a line for each group.
std::string group_table(const Declarations& listed) {
  std::vector<std::pair<std::string, std::size_t>> groups;
  std::size_t widest = 0;
  for (const config::Declaration& declaration : listed) {
    if (groups.empty() || groups.back().first != declaration.group) {
      groups.emplace_back(declaration.group, 0);
      widest = std::max(widest, declaration.group.size());
    }
    ++groups.back().second;
  }
  std::string text;
  for (const auto& [group, count] : groups) {
    text += "  " + group + std::string(widest + 3 - group.size(), ' ') + std::to_string(count) +
            (count == 1 ? " setting\n" : " settings\n");
  }
  return text;
}

std::string main_help(const std::string& called, const Command& command) {
  const Declarations listed = listed_settings(command);
  return flags_help(config::main_settings(listed)) + "\nAll settings, by group:\n" +
         group_table(listed) + "\n`" + called +
         " --help WORD` describes those with WORD in their " + "name or group, `" + called +
         " --help-all` describes all.\n";
}

}  // namespace

Declarations listed_settings(const Command& command) {
  Declarations listed = command.listed_settings ? command.listed_settings() : command.settings();
  if (!command.reads_environment) {
    for (config::Declaration& declaration : listed) declaration.variable.clear();
  }
  return listed;
}

bool has_tiers(const Command& command) {
  return !config::main_settings(listed_settings(command)).empty();
}

std::string about_text(const Program& program) {
  return called_by(std::string(program.about), own_name(program), program.name);
}

std::string details_text(const Program& program, const Command& command) {
  std::string text(command.details);
  if (command.more_details != nullptr) {
    text += (text.empty() ? "" : "\n") + command.more_details(program);
  }
  return called_by(called_by(std::move(text), "PROGRAM", program.name), own_name(program),
                   program.name);
}

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
  return "usage: " + name + " COMMAND [ARGUMENTS...]\n\n" + about_text(program) + "\nCommands:\n" +
         command_table(program.commands) + "\n`" + name +
         " COMMAND --help` describes one of them. Exit codes: 0 success, 1 failure, 2 usage "
         "error.\n";
}

/// Returns true if the setting has the word in its name, in another name of it, or in its group.
bool is_about(const config::Declaration& declaration, const std::string& wanted) {
  const auto has_it = [&](const std::string& text) {
    return lower_case(text).find(wanted) != std::string::npos;
  };
  return has_it(declaration.name) || has_it(declaration.group) ||
         std::ranges::any_of(declaration.aliases, [&](const std::string& alias) {
           return has_it(alias.substr(alias.rfind('/') + 1));
         });
}

Declarations settings_about(const Command& command, std::string_view word) {
  const std::string wanted = lower_case(word);
  Declarations listed = listed_settings(command);
  std::erase_if(listed, [&](const config::Declaration& declaration) {
    return !is_about(declaration, wanted);
  });
  return listed;
}

std::string command_help(const Program& program, const Command& command, const HelpTopic& topic) {
  const std::string name(program.name);
  const bool has_topics = has_tiers(command) && !topic.is_all;
  if (has_topics && !topic.word.empty()) {
    return config::flag_help(settings_about(command, topic.word));
  }
  std::string text = "usage: " + name + " " + std::string(command.synopsis) + "\n\n" +
                     std::string(command.summary) + ".\n";
  if (const std::string details = details_text(program, command); !details.empty()) {
    text += "\n" + details;
  }
  if (command.subcommands == nullptr && has_topics) {
    return text + main_help(name + " " + std::string(command.name), command);
  }
  if (command.subcommands == nullptr) return text + flags_help(listed_settings(command));
  return text + "\nCommands:\n" + command_table(command.subcommands()) + "\n`" + name + " " +
         std::string(command.name) + " COMMAND --help` describes one of them.\n";
}

}  // namespace bellows::command
