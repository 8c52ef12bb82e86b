#include "config/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "config/help.hpp"
#include "config/schema.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kDashes = "--";

/// Returns true for the values of a flag, and for words that users of other programs take for them;
/// those are refused with the right ones.
bool means_a_flag(std::string_view word) {
  constexpr std::string_view kWords[] = {"true", "false", "on", "off", "yes", "no"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

/// Reads "--name=value" or "--name" at `arguments[at]`; moves `at` to the last argument used.
Entry read_flag(const std::vector<Declaration>& declarations,
                const std::vector<std::string>& arguments, std::size_t& at) {
  const std::string text = arguments[at].substr(kDashes.size());
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) return flag(text.substr(0, equals), text.substr(equals + 1));
  const Declaration* declaration = find(declarations, text);
  if (declaration != nullptr && declaration->kind == Kind::kFlag) {
    const bool has_value = at + 1 < arguments.size() && means_a_flag(arguments[at + 1]);
    return flag(text, has_value ? arguments[++at] : "true");
  }
  if (at + 1 < arguments.size() && !arguments[at + 1].starts_with(kDashes))
    return flag(text, arguments[++at]);
  Entry entry = flag(text, "");
  entry.problem = "its value is missing";
  return entry;
}

std::string help_text(const std::string& program, const std::string& about,
                      const std::vector<Declaration>& declarations, bool is_all) {
  const std::vector<Declaration> main = main_settings(declarations);
  const bool is_part = !is_all && !main.empty();
  return "Usage: " + program + " [--NAME VALUE ...] | --help | " +
         (main.empty() ? "" : "--help-all | ") + "--version\n" + about +
         "\nIn parentheses: the default, and the environment variable that may set it; a flag "
         "wins.\n" +
         flag_help(is_part ? main : declarations) +
         (is_part ? "\n`" + program + " --help-all` describes all settings.\n" : "");
}

}  // namespace

CommandLine read_command_line(const std::string& program, const std::string& about,
                              const std::vector<Declaration>& declarations,
                              const std::vector<std::string>& arguments) {
  CommandLine line;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const bool is_all = arguments[at] == "--help-all";
    if (is_all || arguments[at] == "--help" || arguments[at] == "-h") {
      line.help = help_text(program, about, declarations, is_all);
    } else if (arguments[at].starts_with(kDashes)) {
      line.flags.push_back(read_flag(declarations, arguments, at));
    } else {
      line.flags.push_back({.source = Source::kArgument,
                            .key = arguments[at],
                            .value = {},
                            .place = {},
                            .problem = "want --NAME VALUE"});
    }
  }
  return line;
}

namespace {

/// Quotes a word for a shell if necessary.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::string command_line_text(const std::string& program, const Layer& flags) {
  std::string text = program;
  for (const Entry& entry : flags) {
    text += (entry.key.size() == 1 ? " -" : " --") + entry.key;
    if (entry.value != "true") text += " " + quoted(entry.value);
  }
  return text;
}

}  // namespace bellows::config
