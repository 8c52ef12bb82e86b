#include "command/arguments.hpp"

#include <algorithm>
#include <iterator>

#include "config/command_line.hpp"
#include "config/schema.hpp"

namespace bellows::command {

namespace {

/// Returns "-o" and "-o=wide" as "--o" and "--o=wide", if that is an alias of a flag.
std::string with_two_dashes(const std::string& word,
                            const std::vector<config::Declaration>& declarations) {
  const bool is_short =
      word.size() >= 2 && word[0] == '-' && word[1] != '-' && (word.size() == 2 || word[2] == '=');
  if (!is_short || config::find(declarations, word.substr(1, 1)) == nullptr) return word;
  return "-" + word;
}

bool is_positional(const config::Entry& entry) {
  const bool looks_like_flag = entry.key.starts_with('-') && entry.key != "-";
  return entry.source == config::Source::kArgument && !looks_like_flag;
}

}  // namespace

Arguments split_arguments(std::span<const std::string> words,
                          const std::vector<config::Declaration>& declarations,
                          const config::Environment& environment) {
  Arguments arguments;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) arguments.rest.assign(std::next(dashes), words.end());
  std::vector<std::string> before_dashes;
  std::transform(words.begin(), dashes, std::back_inserter(before_dashes),
                 [&](const std::string& word) { return with_two_dashes(word, declarations); });
  config::Layer flags = config::read_command_line("", "", declarations, before_dashes).flags;
  std::erase_if(flags, [&](const config::Entry& entry) {
    if (!is_positional(entry)) return false;
    arguments.positional.push_back(entry.key);
    return true;
  });
  arguments.layers = {config::environment_layer(declarations, environment), std::move(flags)};
  return arguments;
}

bool asks_for_help(std::span<const std::string> words) {
  return help_topic(words).has_value();
}

std::optional<HelpTopic> help_topic(std::span<const std::string> words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != dashes; ++word) {
    if (*word == "--help-all") return HelpTopic{.is_all = true, .word = {}};
    if (*word != "--help" && *word != "-h") continue;
    const auto next = word + 1;
    const bool has_word = next != dashes && !next->starts_with('-');
    return HelpTopic{.is_all = false, .word = has_word ? *next : std::string()};
  }
  return std::nullopt;
}

config::Layer take_declared(config::Layer& flags,
                            const std::vector<config::Declaration>& declarations) {
  config::Layer taken;
  std::erase_if(flags, [&](config::Entry& entry) {
    if (config::find(declarations, entry.key) == nullptr) return false;
    taken.push_back(entry);
    return true;
  });
  return taken;
}

}  // namespace bellows::command
