#include "cli/usage.hpp"

#include <algorithm>
#include <iostream>

#include "config/command_line.hpp"
#include "config/help.hpp"
#include "config/sources/environment.hpp"

namespace bellows::cli {

std::string command_table(std::span<const Command> commands) {
  std::size_t widest = 0;
  for (const Command& command : commands) widest = std::max(widest, last_word(command).size());
  std::string text;
  for (const Command& command : commands) {
    const std::string_view name = last_word(command);
    text += "  " + std::string(name) + std::string(widest + 3 - name.size(), ' ');
    text += std::string(command.about) + "\n";
  }
  return text;
}

std::string overview() {
  const std::string text =
      "bellows scales HTTP services by the requests they are serving: up from zero when the first "
      "one comes,\n"
      "up fast in a burst, down again, and to zero when nobody calls.\n\n"
      "  bellows run -- python3 -m http.server '$PORT'      one service on this machine, at "
      "127.0.0.1:8080\n\n"
      "Commands:\n";
  return text + command_table(commands()) +
         "\n`bellows COMMAND --help` tells more. Exit codes: 0 good, 1 it failed, 2 it was asked "
         "wrongly.\n";
}

std::string help_of(const Command& command) {
  std::string text = "usage: bellows " + std::string(command.synopsis) + "\n\n" +
                     std::string(command.about) + ".\n";
  if (!command.details.empty()) text += "\n" + std::string(command.details);
  if (command.more != nullptr) text += "\n" + command.more();
  const auto& settings = command.settings();
  return settings.empty() ? text : text + "\n" + config::flag_help(settings);
}

int complain(const Command& command, const std::vector<Error>& problems) {
  for (const Error& problem : problems)
    std::cerr << "bellows " << command.name << ": " << to_string(problem) << "\n";
  std::cerr << "`bellows " << command.name << " --help` lists what is valid.\n";
  return kUsage;
}

int complain(const Command& command, const std::string& problem) {
  std::cerr << "bellows " << command.name << ": " << problem << "\nusage: bellows "
            << command.synopsis << "\n";
  return kUsage;
}

int give_up(const Command& command, const Error& error) {
  std::cerr << "bellows " << command.name << ": " << to_string(error) << "\n";
  return kFailure;
}

std::optional<std::vector<config::Layer>> read_layers(const Command& command,
                                                      const Arguments& arguments) {
  const auto asks_help = [](const std::string& flag) { return flag == "--help" || flag == "-h"; };
  if (std::any_of(arguments.flags.begin(), arguments.flags.end(), asks_help)) {
    std::cout << help_of(command);
    return std::nullopt;
  }
  const auto& settings = command.settings();
  const config::CommandLine line =
      config::read_command_line("bellows " + std::string(command.name), std::string(command.about),
                                settings, arguments.flags);
  return std::vector<config::Layer>{config::environment_layer(settings, config::read_environment()),
                                    line.flags};
}

std::optional<Asked> read_asked(const Command& command, const Arguments& arguments) {
  auto layers = read_layers(command, arguments);
  if (!layers) return std::nullopt;
  Asked asked{.layers = std::move(*layers), .words = arguments.words};
  for (std::string& word : words_among(asked.layers)) asked.words.push_back(std::move(word));
  return asked;
}

}  // namespace bellows::cli
