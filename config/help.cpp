#include "config/help.hpp"

#include <algorithm>
#include <string_view>

#include "config/read_value.hpp"

namespace bellows::config {

namespace {

std::string default_words(const Declaration& declaration) {
  if (declaration.required) return "required";
  if (!declaration.default_text.empty()) return "default " + declaration.default_text;
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

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string default_cell(const Declaration& declaration) {
  if (declaration.required) return "*required*";
  if (!declaration.default_text.empty()) return code(declaration.default_text);
  return declaration.unset.empty() ? "nothing" : declaration.unset;
}

std::string aliases_cell(const Declaration& declaration) {
  std::string cell;
  const auto add = [&](const std::string& alias) {
    cell += (cell.empty() ? "" : "<br>") + code(alias);
  };
  for (const std::string& alias : declaration.aliases) add(alias);
  return cell;
}

/// Calls `heading` at the start of each group.
template <class Print>
void each_group(const std::vector<Declaration>& declarations, std::string& text,
                std::string (*heading)(const std::string&), Print print) {
  const std::string* group = nullptr;
  for (const Declaration& declaration : declarations) {
    if (group == nullptr || *group != declaration.group) text += heading(declaration.group);
    group = &declaration.group;
    text += print(declaration);
  }
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
  each_group(
      declarations, help,
      [](const std::string& group) { return group.empty() ? "\n" : "\n" + group + ":\n"; },
      [&](const Declaration& declaration) {
        const std::string_view value = placeholder(declaration.kind);
        return std::string(kFlagIndent, ' ') + flag_words(declaration) +
               (value.empty() ? "" : " " + std::string(value)) + "\n" +
               wrapped(flag_text(declaration), kTextIndent, width);
      });
  return help;
}

std::string markdown_tables(const std::vector<Declaration>& declarations) {
  std::string tables;
  each_group(
      declarations, tables,
      [](const std::string& group) {
        return "### " + group +
               "\n\n| name | what it does | default | valid values | variable | aliases |\n"
               "|---|---|---|---|---|---|\n";
      },
      [](const Declaration& declaration) {
        return "| " + code(declaration.name) + " | " + declaration.help + " | " +
               default_cell(declaration) + " | " + valid_values_text(declaration) + " | " +
               code(declaration.variable) + " | " + aliases_cell(declaration) + " |\n";
      });
  // A heading that follows a table needs an empty line before it.
  for (std::size_t at = 0; (at = tables.find("|\n###", at)) != std::string::npos; at += 3) {
    tables.insert(at + 2, "\n");
  }
  return tables + "\n";
}

}  // namespace bellows::config
