#include "command/manual.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/sys/file.hpp"
#include "base/text_parts.hpp"
#include "base/version.hpp"
#include "command/errors.hpp"
#include "command/help.hpp"
#include "config/help.hpp"
#include "config/schema.hpp"

namespace bellows::command {

namespace {

struct ManualSettings {
  std::string folder;
};

const config::Schema<ManualSettings>& manual_schema() {
  static const config::Schema<ManualSettings> schema = [] {
    config::Schema<ManualSettings> made;
    made.add(&ManualSettings::folder,
             {.name = "folder", .help = "Write all pages into this folder.", .unset = "printed"});
    return made;
  }();
  return schema;
}

/// Escapes what troff would interpret: backslashes, dashes that would become hyphens.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else {
      safe += letter;
    }
  }
  return safe;
}

/// Returns a whole line; one that begins with a control character gets a zero-width one before it.
std::string line_of(std::string_view text) {
  const bool is_control = text.starts_with('.') || text.starts_with('\'');
  return (is_control ? "\\&" : "") + escaped(text) + "\n";
}

/// Keeps indented lines and fills the others.
std::string paragraphs(std::string_view text) {
  std::string page;
  bool is_verbatim = false;
  const auto set_verbatim = [&](bool wanted) {
    if (wanted != is_verbatim) page += wanted ? ".PP\n.EX\n" : ".EE\n";
    is_verbatim = wanted;
  };
  while (!text.empty()) {
    const std::string_view line = next_part(text, '\n');
    if (line.empty()) {
      const bool goes_on = is_verbatim && text.starts_with(' ');
      if (!goes_on) set_verbatim(false);
      if (!text.starts_with(' ')) page += ".PP\n";
      if (goes_on) page += "\n";
      continue;
    }
    set_verbatim(line.starts_with(' '));
    page += line_of(line);
  }
  set_verbatim(false);
  return page;
}

/// Returns the header and NAME, which `man -k` finds.
std::string beginning(const std::string& name, std::string_view summary) {
  std::string lowered(summary);
  if (lowered.size() > 1 && lowered[1] >= 'a' && lowered[1] <= 'z' && lowered[0] <= 'Z') {
    lowered[0] = static_cast<char>(lowered[0] - 'A' + 'a');
  }
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return ".TH " + escaped(title) + " 1 \"\" \"Bellows " + kVersion +
         "\" \"Bellows\"\n.nh\n.ad l\n.SH NAME\n" + escaped(name) + " \\- " + escaped(lowered) +
         "\n";
}

std::string synopsis(std::string_view line) {
  return ".SH SYNOPSIS\n.B " + escaped(line) + "\n";
}

std::string settings_section(const Declarations& declarations) {
  if (declarations.empty()) return "";
  std::string page = ".SH OPTIONS\n";
  std::string group;
  for (const config::Declaration& declaration : declarations) {
    if (declaration.group != group) page += ".SS " + escaped(declaration.group) + "\n";
    group = declaration.group;
    const std::string_view value = config::placeholder(declaration.kind);
    const std::string words = escaped(config::flag_words(declaration));
    page += ".TP\n.BI " + (words.find(' ') == std::string::npos ? words : "\"" + words + "\"");
    if (!value.empty()) page += " \" " + escaped(value) + "\"";
    page += "\n" + line_of(config::flag_text(declaration));
  }
  return page;
}

std::string see_also(const std::string& page) {
  if (page == "bellows") {
    return ".SH SEE ALSO\nThe pages of the package bellows-doc, in /usr/share/doc/bellows.\n";
  }
  return ".SH SEE ALSO\n.BR bellows (1)\n";
}

std::string exit_status() {
  return ".SH EXIT STATUS\n0 success, 1 failure, 2 usage error.\n";
}

std::string page_name(const Program& program, const Command& command) {
  std::string name = std::string(program.name) + "-" + std::string(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string command_list(const Program& program, std::span<const Command> commands) {
  std::string page = ".SH COMMANDS\n";
  for (const Command& command : commands) {
    page += ".TP\n.BR " + escaped(page_name(program, command)) + " (1)\n" +
            line_of(std::string(command.summary) + ".");
  }
  return page;
}

ManualPage page_of(const Program& program, const Command& command) {
  ManualPage page{page_name(program, command), {}};
  page.text = beginning(page.name, command.summary) +
              synopsis(std::string(program.name) + " " + std::string(command.synopsis)) +
              ".SH DESCRIPTION\n" + line_of(std::string(command.summary) + ".") + ".PP\n" +
              paragraphs(details_text(program, command));
  if (command.subcommands != nullptr) {
    page.text += command_list(program, command.subcommands());
  } else {
    page.text += settings_section(listed_settings(command));
  }
  page.text += exit_status() + see_also(page.name);
  return page;
}

void add_pages(const Program& program, std::span<const Command> commands,
               std::vector<ManualPage>& pages) {
  for (const Command& command : commands) {
    pages.push_back(page_of(program, command));
    if (command.subcommands != nullptr) add_pages(program, command.subcommands(), pages);
  }
}

/// Returns the first sentence of the overview, in one line and without the name that it may begin
/// with.
std::string first_sentence(const Program& program) {
  std::string_view about = program.about;
  const std::size_t blank = std::min(about.find(' '), about.size());
  const bool begins_with_name = std::ranges::equal(about.substr(0, blank), program.name, {},
                                                   [](char letter) { return letter | 0x20; });
  if (begins_with_name) about.remove_prefix(blank + 1);
  const std::size_t end = std::min(about.find_first_of(".:"), about.size());
  std::string sentence(about.substr(0, end));
  std::ranges::replace(sentence, '\n', ' ');
  return sentence;
}

ManualPage overview_page(const Program& program) {
  const std::string name(program.name);
  return {name, beginning(name, first_sentence(program)) +
                    synopsis(name + " COMMAND [ARGUMENTS...]") + ".SH DESCRIPTION\n" +
                    paragraphs(about_text(program)) + command_list(program, program.commands) +
                    exit_status() + see_also(name)};
}

}  // namespace

std::vector<ManualPage> manual_pages(const Program& program) {
  std::vector<ManualPage> pages{overview_page(program)};
  add_pages(program, program.commands, pages);
  return pages;
}

ManualPage service_manual(const std::string& name, const std::string& about,
                          const Declarations& declarations) {
  return {name, beginning(name, about) + synopsis(name + " [flags]") + ".SH DESCRIPTION\n" +
                    line_of(about + ".") + settings_section(declarations) + exit_status() +
                    see_also(name)};
}

Result<void> write_pages(const std::vector<ManualPage>& pages, const std::string& folder) {
  for (const ManualPage& page : pages) {
    BELLOWS_CHECKED(sys::replace_file(folder + "/" + page.name + ".1", page.text));
  }
  return {};
}

const Declarations& manual_settings() {
  return manual_schema().declarations();
}

int print_manual(const Invocation& invocation) {
  const auto settings = manual_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const std::vector<ManualPage> pages = manual_pages(invocation.program);
  if (!settings->folder.empty()) {
    const Result<void> written = write_pages(pages, settings->folder);
    return written ? kSuccess : report_failure(invocation, written.error());
  }
  std::string wanted(invocation.program.name);
  for (const std::string& word : invocation.arguments.positional) wanted += "-" + word;
  const auto found = std::ranges::find(pages, wanted, &ManualPage::name);
  if (found == pages.end()) {
    return usage_error(invocation, "there is no page \"" + wanted + "\"; want a command");
  }
  std::cout << found->text;
  return kSuccess;
}

}  // namespace bellows::command
