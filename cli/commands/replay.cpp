// bellows replay: the deciding code as filters.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/replay/decisions_filter.hpp"
#include "cli/replay/replay_settings.hpp"
#include "cli/replay/windows_filter.hpp"
#include "cli/usage.hpp"
#include "config/suggestion.hpp"
#include "replay/io/run_filter.hpp"

namespace bellows::cli {

namespace {

std::string overview_of_replay(const Command& command) {
  return help_of(command) + "\nCommands:\n" + command_table(replay_commands()) +
         "\n`bellows replay COMMAND --help` teaches its lines.\n";
}

int unknown_replay(const Command& command, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& known : replay_commands()) names.emplace_back(last_word(known));
  const std::string meant = config::suggestion(name, names);
  return complain(command, "\"" + name + "\" is nothing to replay" +
                               (meant.empty() ? "" : "; did you mean \"" + meant + "\"?"));
}

/// Reads flags and FILE, then runs a filter that `Make` makes for the settings.
template <class Make>
int run_filter_of(const Command& command, const Arguments& arguments, Make make) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = replay_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  const std::vector<std::string>& files = asked->words;
  if (files.size() > 1 || !arguments.rest.empty())
    return complain(command, "want at most one FILE");
  auto filter = make(*settings);
  return replay::run_filter("bellows " + std::string(command.name), filter,
                            files.empty() ? std::nullopt : std::optional(files.front()));
}

}  // namespace

int run_replay(const Command& command, const Arguments& arguments) {
  if (arguments.words.empty()) {
    const bool asks = !arguments.flags.empty() &&
                      (arguments.flags.front() == "--help" || arguments.flags.front() == "-h");
    (asks ? std::cout : std::cerr) << overview_of_replay(command);
    return asks ? kSuccess : kUsage;
  }
  const std::string& name = arguments.words.front();
  for (const Command& known : replay_commands()) {
    if (last_word(known) != name) continue;
    Arguments behind = arguments;
    behind.words.erase(behind.words.begin());
    return known.run(known, behind);
  }
  return unknown_replay(command, name);
}

int replay_windows(const Command& command, const Arguments& arguments) {
  return run_filter_of(command, arguments, [](const ReplaySettings& settings) {
    return WindowsFilter(settings.profile);
  });
}

int replay_decisions(const Command& command, const Arguments& arguments) {
  return run_filter_of(command, arguments, [](const ReplaySettings& settings) {
    return DecisionsFilter(settings.profile);
  });
}

}  // namespace bellows::cli
