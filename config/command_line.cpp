#include "config/command_line.hpp"

#include <optional>

#include "config/help.hpp"
#include "config/schema.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kDashes = "--";

/// "--name=value" or "--name" at `words[at]`; moves `at` to the last word taken.
Entry read_flag(const std::vector<Declaration>& declarations, const std::vector<std::string>& words,
                std::size_t& at) {
  const std::string text = words[at].substr(kDashes.size());
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) return flag(text.substr(0, equals), text.substr(equals + 1));
  const Declaration* declaration = find(declarations, text);
  if (declaration != nullptr && declaration->kind == Kind::kFlag) return flag(text, "true");
  if (at + 1 < words.size() && !words[at + 1].starts_with(kDashes)) return flag(text, words[++at]);
  Entry entry = flag(text, "");
  entry.problem = "its value is missing";
  return entry;
}

std::string help_text(const std::string& program, const std::string& about,
                      const std::vector<Declaration>& declarations) {
  return "Usage: " + program + " [--NAME VALUE ...] | --help | --version\n" + about +
         "\nIn parentheses: the default, and the environment variable that may set it; a flag "
         "wins.\n" +
         flag_help(declarations);
}

}  // namespace

CommandLine read_command_line(const std::string& program, const std::string& about,
                              const std::vector<Declaration>& declarations,
                              const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == "--help" || words[at] == "-h") {
      line.help = help_text(program, about, declarations);
    } else if (words[at].starts_with(kDashes)) {
      line.flags.push_back(read_flag(declarations, words, at));
    } else {
      line.flags.push_back({.source = Source::kArgument,
                            .key = words[at],
                            .value = {},
                            .place = {},
                            .problem = "want --NAME VALUE"});
    }
  }
  return line;
}

}  // namespace bellows::config
