#include "config/help.hpp"

#include <algorithm>
#include <string_view>

#include "config/profiles.hpp"
#include "config/read_value.hpp"

namespace bellows::config {

namespace {

/// Returns ", window with profile knative, constant with profile seed"; empty if it has no other
/// default there.
std::string other_defaults(const Declaration& declaration) {
  std::string words;
  for (const std::string_view profile : {"knative", "seed"}) {
    for (const Entry& entry : profile_layer(profile)) {
      if (entry.key != declaration.name || entry.value == declaration.default_text) continue;
      words += ", " + entry.value + " with profile " + std::string(profile);
    }
  }
  return words;
}

std::string default_words(const Declaration& declaration) {
  if (declaration.required) return "required";
  if (!declaration.default_text.empty()) {
    return "default " + declaration.default_text + other_defaults(declaration);
  }
  return "default: " + (declaration.unset.empty() ? "nothing" : declaration.unset);
}

/// Wraps `text` at blanks into lines of `width`, each indented by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::size_t room = width - indent;
  std::string lines;
  while (!text.empty()) {
    std::size_t length = text.size();
    if (length > room) {
      const std::size_t blank = text.rfind(' ', room);
      length = blank == std::string_view::npos ? std::min(text.find(' '), text.size()) : blank;
    }
    lines += std::string(indent, ' ') + std::string(text.substr(0, length)) + "\n";
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string flag_text(const Declaration& declaration) {
  std::string text = declaration.help;
  if (declaration.kind != Kind::kFlag) text += " Want " + valid_values_text(declaration) + ".";
  text += " (" + default_words(declaration);
  if (!declaration.variable.empty()) text += "; " + declaration.variable;
  const std::string_view unit = bare_number_unit(declaration.variable);
  return text + (unit.empty() ? "" : ", a bare number of " + std::string(unit)) + ")";
}

std::string flag_words(const Declaration& declaration) {
  std::string words;
  for (const std::string& alias : declaration.aliases) {
    if (alias.size() == 1) words += "-" + alias + ", ";
  }
  return words + "--" + declaration.name;
}

std::string flag_help(const std::vector<Declaration>& declarations, std::size_t width) {
  constexpr std::size_t kFlagIndent = 2;
  constexpr std::size_t kTextIndent = 6;
  std::string help;
  const std::string* group = nullptr;
  for (const Declaration& declaration : declarations) {
    if (group == nullptr || *group != declaration.group) {
      help += declaration.group.empty() ? "\n" : "\n" + declaration.group + ":\n";
    }
    group = &declaration.group;
    const std::string_view value = placeholder(declaration.kind);
    help += std::string(kFlagIndent, ' ') + flag_words(declaration) +
            (value.empty() ? "" : " " + std::string(value)) + "\n" +
            wrapped(flag_text(declaration), kTextIndent, width);
  }
  return help;
}

std::vector<Declaration> main_settings(const std::vector<Declaration>& declarations) {
  std::vector<Declaration> chosen;
  for (const Declaration& declaration : declarations) {
    if (declaration.tier != Tier::kMain) continue;
    chosen.push_back(declaration);
    chosen.back().group = "Main settings";
  }
  if (chosen.size() == declarations.size()) chosen.clear();
  return chosen;
}

}  // namespace bellows::config
