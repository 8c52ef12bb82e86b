#include "command/completion.hpp"

#include <algorithm>
#include <iostream>
#include <span>

#include "command/errors.hpp"
#include "command/help.hpp"

namespace bellows::command {

namespace {

std::string names(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands)
    text += (text.empty() ? "" : " ") + std::string(last_word(command));
  return text;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// Returns "--output", "-o": an alias of one letter is a short flag.
std::vector<std::string> spellings(const config::Declaration& setting) {
  std::vector<std::string> all{"--" + setting.name};
  for (const std::string& alias : setting.aliases) {
    if (alias.size() == 1) all.push_back("-" + alias);
  }
  return all;
}

std::string flags_of(const Declarations& settings, std::string_view first) {
  std::string text(first);
  for (const config::Declaration& setting : settings) text += " --" + setting.name;
  return text;
}

/// Determines the meaning of a word without a flag from the synopsis: the name of a service, one of
/// a few words ("bash|zsh|fish"), or a file.
bool takes_service(const Command& command) {
  const std::string_view synopsis = command.synopsis;
  const std::string name(command.name);
  return synopsis.starts_with(name + " NAME") || synopsis.starts_with(name + " [NAME]");
}

bool is_choice(std::string_view word) {
  return word.find('|') != std::string_view::npos && std::ranges::all_of(word, [](char letter) {
           return letter == '|' || (letter >= 'a' && letter <= 'z');
         });
}

std::string choice_words(const Command& command) {
  if (!command.synopsis.starts_with(command.name)) return "";
  std::string_view rest = command.synopsis.substr(command.name.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  std::string word(rest.substr(0, rest.find(' ')));
  if (!is_choice(word)) return "";
  std::ranges::replace(word, '|', ' ');
  return word;
}

/// Returns rows of a shell `case` over the word before the cursor: the values of each flag that has
/// one.
std::string value_rows(const Declarations& settings, const std::string& indent) {
  std::string rows;
  std::vector<std::string> others;
  for (const config::Declaration& setting : settings) {
    const std::vector<std::string> flags = spellings(setting);
    if (!setting.choices.empty()) {
      rows +=
          indent + joined(flags, "|") + ") values=\"" + joined(setting.choices, " ") + "\" ;;\n";
    } else if (setting.kind != config::Kind::kFlag) {
      others.insert(others.end(), flags.begin(), flags.end());
    }
  }
  if (!others.empty()) rows += indent + joined(others, "|") + ") words=\"\"; is_value=yes ;;\n";
  return rows;
}

std::string value_case(const Declarations& settings, const std::string& indent) {
  const std::string rows = value_rows(settings, indent + "  ");
  return rows.empty() ? "" : indent + "case $before in\n" + rows + indent + "esac\n";
}

std::string words_of(const Program& program, const Command& command) {
  if (!takes_service(command)) return choice_words(command);
  return "$(" + std::string(program.name) + " status 2>/dev/null | awk 'NR > 1 { print $1 }')";
}

/// Returns a row of a shell `case` that sets the flags of a command and the kind of its words.
std::string command_row(const Program& program, const std::string& pattern,
                        const Command& command) {
  const Declarations& settings = command.settings();
  const char* const help = has_tiers(command) ? "--help --help-all" : "--help";
  std::string row = "    " + pattern + ") flags=\"" + flags_of(settings, help) + "\"\n";
  const std::string words = words_of(program, command);
  const bool is_asked = words.starts_with('$');  // only when needed: it starts a program
  if (is_asked) {
    row += "      case $word in -*) ;; *) words=\"" + words + "\" ;; esac\n";
  } else if (!words.empty()) {
    row += "      words=\"" + words + "\"\n";
  }
  return row + value_case(settings, "      ") + "      ;;\n";
}

/// Completes the second word with the subcommands of `command`.
std::string subcommand_lines(const Command& command) {
  return "  if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = " + std::string(command.name) +
         " ]; then\n    COMPREPLY=($(compgen -W \"" + names(command.subcommands()) +
         "\" -- \"$word\")); return\n  fi\n";
}

/// bash treats the "=" of --flag=value as a separate word.
std::string bash_head(const std::string& name) {
  return "_" + name +
         "() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local flags=\"--help\" words=\"\" values=\"\" is_value=\"\"\n"
         "  if [ \"$word\" = \"=\" ]; then word=\"\"; fi\n"
         "  if [ \"$before\" = \"=\" ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n";
}

std::string bash_tail(const std::string& name) {
  return "  case \"$values $word\" in\n"
         "    \" -\"*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")); return ;;\n"
         "  esac\n"
         "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
         "  elif [ -n \"$words\" ] && [ -z \"$is_value\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _" +
         name + " " + name + "\n";
}

/// zsh autoloads it by its file's name, so it must complete at the first call, too.
std::string zsh_of(const std::string& name, const std::string& bash) {
  return "#compdef " + name + "\nautoload -U +X bashcompinit && bashcompinit\n" + bash +
         "if [ \"$funcstack[1]\" = _" + name + " ]; then _bash_complete -F _" + name + "; fi\n";
}

/// Returns the first sentence in single quotes of fish.
std::string fish_text(std::string_view help) {
  std::string quoted = "'";
  for (const char letter : help.substr(0, help.find(". "))) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "'";
}

std::string fish_flags(const std::string& start, const Declarations& settings) {
  std::string lines;
  for (const config::Declaration& setting : settings) {
    lines += start + " -l " + setting.name;
    for (const std::string& alias : setting.aliases) {
      if (alias.size() == 1) lines += " -s " + alias;
    }
    if (!setting.choices.empty()) {
      lines += " -x -a '" + joined(setting.choices, " ") + "'";
    } else if (setting.kind != config::Kind::kFlag) {
      lines += " -r";
    }
    lines += " -d " + fish_text(setting.help) + "\n";
  }
  return lines;
}

std::string fish_words(const Program& program, const Command& command) {
  if (takes_service(command)) {
    return "(" + std::string(program.name) +
           " status 2>/dev/null | tail -n +2 | string split -f 1 \" \")";
  }
  return choice_words(command);
}

/// Returns commands, words and flags of `commands`, offered while fish's condition `when` holds.
std::string fish_lines(const Program& program, std::span<const Command> commands,
                       const std::string& when) {
  const std::string complete = "complete -c " + std::string(program.name);
  std::string lines = complete + " -f -n '" + when + "' -a '" + names(commands) + "'\n";
  for (const Command& command : commands) {
    const std::string start =
        complete + " -n '__fish_seen_subcommand_from " + std::string(last_word(command)) + "'";
    const std::string words = fish_words(program, command);
    if (!words.empty()) lines += start + " -f -a '" + words + "'\n";
    lines += fish_flags(start, command.settings());
  }
  return lines;
}

}  // namespace

std::string bash_completion(const Program& program) {
  const std::string name(program.name);
  std::string script = bash_head(name) +
                       "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
                       names(program.commands) +
                       "\" -- \"$word\")); return; fi\n"
                       "  case \" ${COMP_WORDS[*]:0:$COMP_CWORD} \" in\n"
                       "    *\" -- \"*) COMPREPLY=($(compgen -c -f -- \"$word\")); return ;;\n"
                       "  esac\n";
  std::string first_rows;
  std::string second_rows;
  for (const Command& command : program.commands) {
    first_rows += command_row(program, std::string(command.name), command);
    if (command.subcommands == nullptr) continue;
    script += subcommand_lines(command);
    for (const Command& subcommand : command.subcommands())
      second_rows += command_row(program, "\"" + std::string(subcommand.name) + "\"", subcommand);
  }
  script += "  case ${COMP_WORDS[1]} in\n" + first_rows + "  esac\n";
  if (!second_rows.empty()) {
    script += "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n" + second_rows + "  esac\n";
  }
  return script + bash_tail(name);
}

/// zsh runs the bash script through its own adaptor.
std::string zsh_completion(const Program& program) {
  return zsh_of(std::string(program.name), bash_completion(program));
}

std::string fish_completion(const Program& program) {
  std::string script = fish_lines(program, program.commands, "__fish_use_subcommand");
  for (const Command& command : program.commands) {
    if (command.subcommands == nullptr) continue;
    script += fish_lines(program, command.subcommands(),
                         "__fish_seen_subcommand_from " + std::string(command.name));
  }
  return script;
}

ServiceCompletion service_completion(const std::string& name, const Declarations& settings) {
  const std::string bash = bash_head(name) + "  flags=\"" +
                           flags_of(settings, "--help --help-all --version") + "\"\n" +
                           value_case(settings, "  ") + bash_tail(name);
  return {bash, zsh_of(name, bash), fish_flags("complete -c " + name, settings)};
}

std::string completion_details(const Program& program) {
  const std::string name(program.name);
  return "  " + name + " completion bash > ~/.local/share/bash-completion/completions/" + name +
         "\n  " + name + " completion zsh  > \"${fpath[1]}/_" + name + "\"\n  " + name +
         " completion fish > ~/.config/fish/completions/" + name + ".fish\n";
}

int print_completion(const Invocation& invocation) {
  const auto& positional = invocation.arguments.positional;
  const std::string shell = positional.size() == 1 ? positional.front() : "";
  if (shell == "bash") {
    std::cout << bash_completion(invocation.program);
  } else if (shell == "zsh") {
    std::cout << zsh_completion(invocation.program);
  } else if (shell == "fish") {
    std::cout << fish_completion(invocation.program);
  } else {
    return usage_error(invocation, "want the name of a shell: bash, zsh or fish");
  }
  return kSuccess;
}

}  // namespace bellows::command
