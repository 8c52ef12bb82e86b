#include "command/program.hpp"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/arguments.hpp"
#include "command/help.hpp"
#include "config/sources/environment.hpp"
#include "config/suggestion.hpp"

namespace bellows::command {

namespace {

const Command* find_command(std::span<const Command> commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, last_word);
  return found == commands.end() ? nullptr : &*found;
}

/// `called` is the program, or the command whose subcommand is unknown: "bellows replay".
int unknown_command(const std::string& called, std::span<const Command> commands,
                    const std::string& name, std::string_view instead = {}) {
  if (!instead.empty()) {
    std::cerr << called << ": \"" << name << "\" is not a command; " << instead << "\n";
    return kUsageError;
  }
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(last_word(command));
  const std::string similar = config::suggestion(name, names);
  std::cerr << called << ": \"" << name << "\" is not a command"
            << (similar.empty() ? ";" : "; did you mean \"" + similar + "\"?") << " `" << called
            << " --help` lists the commands\n";
  return kUsageError;
}

int print_help(const Program& program, const Command& command, const HelpTopic& topic) {
  const bool is_about = has_tiers(command) && !topic.word.empty();
  if (is_about && settings_about(command, topic.word).empty()) {
    std::cerr << program.name << " " << command.name
              << ": no setting and no group of settings has \"" << topic.word << "\" in its name; `"
              << program.name << " " << command.name << " --help` lists the groups\n";
    return kUsageError;
  }
  std::cout << command_help(program, command, topic);
  return kSuccess;
}

int run_command(const Program& program, const Command& command,
                std::span<const std::string> words) {
  if (command.subcommands == nullptr) {
    if (const auto topic = help_topic(words)) return print_help(program, command, *topic);
    const auto environment =
        command.reads_environment ? config::read_environment() : config::Environment();
    return command.run({program, command, split_arguments(words, command.settings(), environment)});
  }
  const bool names_one = !words.empty() && !words.front().starts_with('-');
  if (!names_one) {
    const bool asks_help = asks_for_help(words);
    (asks_help ? std::cout : std::cerr) << command_help(program, command);
    return asks_help ? kSuccess : kUsageError;
  }
  const auto subcommands = command.subcommands();
  const Command* const subcommand = find_command(subcommands, words.front());
  if (subcommand != nullptr) return run_command(program, *subcommand, words.subspan(1));
  return unknown_command(std::string(program.name) + " " + std::string(command.name), subcommands,
                         words.front());
}

/// `help run` is `run --help`, and `help replay slow` is `replay slow --help`.
int show_help(const Program& program, std::span<const std::string> words) {
  const Command* const command = find_command(program.commands, words.front());
  if (command == nullptr) {
    return unknown_command(std::string(program.name), program.commands, words.front());
  }
  std::vector<std::string> rest(words.begin() + 1, words.end());
  rest.emplace_back("--help");
  return run_command(program, *command, rest);
}

int dispatch(const Program& program, std::span<const std::string> words) {
  if (words.empty()) {
    std::cerr << overview(program);
    return kUsageError;
  }
  const std::string& first = words.front();
  const bool asks_about = first == "help" && words.size() > 1;
  if (!asks_about && (first == "--help" || first == "-h" || first == "help")) {
    std::cout << overview(program);
    return kSuccess;
  }
  if (asks_about) return show_help(program, words.subspan(1));
  const bool is_flag = first.starts_with("--");
  const std::string name = first == "-V" ? "version" : is_flag ? first.substr(2) : first;
  const Command* const command = find_command(program.commands, name);
  if (command == nullptr) {
    const auto instead_of = program.instead_of;
    return unknown_command(std::string(program.name), program.commands, first,
                           instead_of == nullptr ? std::string_view() : instead_of(name));
  }
  return run_command(program, *command, words.subspan(1));
}

/// Reports output that could not be written as a failure of a command that otherwise succeeded.
int flush_output(const Program& program, int exit_code) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return exit_code;
  // The cause is unknown if an earlier write failed.
  const Error error = errno == 0 ? Error(ErrorKind::kSystem, "standard output", "cannot be written")
                                 : system_error("standard output", "cannot be written", errno);
  std::cerr << program.name << ": " << to_string(error) << "\n";
  return exit_code == kSuccess ? kFailure : exit_code;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string name = called_name(program.name, argv[0]);
  Program called = program;
  called.name = name;
  return flush_output(called, dispatch(called, words));
}

}  // namespace bellows::command
