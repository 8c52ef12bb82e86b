// bellows completion: scripts for bash, zsh and fish, made from the table of commands.
#include <iostream>
#include <span>
#include <string>

#include "cli/command.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

namespace {

std::string names(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands)
    text += (text.empty() ? "" : " ") + std::string(last_word(command));
  return text;
}

std::string flags_of(const Command& command) {
  std::string text = "--help";
  for (const config::Declaration& setting : command.settings()) text += " --" + setting.name;
  return text;
}

std::string bash_script() {
  std::string script =
      "_bellows() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} flags=\"--help\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
      names(commands()) +
      "\" -- \"$word\")); return; fi\n"
      "  if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = replay ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      names(replay_commands()) +
      "\" -- \"$word\")); return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands()) {
    script += "    " + std::string(command.name) + ") flags=\"" + flags_of(command) + "\" ;;\n";
  }
  script += "  esac\n  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";
  for (const Command& command : replay_commands()) {
    script += "    \"" + std::string(command.name) + "\") flags=\"" + flags_of(command) + "\" ;;\n";
  }
  return script +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _bellows bellows\n";
}

/// zsh runs the bash script through its own adaptor.
std::string zsh_script() {
  return "#compdef bellows\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script();
}

/// Words and flags of `table`, offered where fish's condition `when` holds.
std::string fish_lines(std::span<const Command> table, const std::string& when) {
  std::string lines = "complete -c bellows -f -n '" + when + "' -a '" + names(table) + "'\n";
  for (const Command& command : table) {
    for (const config::Declaration& setting : command.settings()) {
      lines += "complete -c bellows -n '__fish_seen_subcommand_from " +
               std::string(last_word(command)) + "' -l " + setting.name + "\n";
    }
  }
  return lines;
}

std::string fish_script() {
  return fish_lines(commands(), "__fish_use_subcommand") +
         fish_lines(replay_commands(), "__fish_seen_subcommand_from replay");
}

}  // namespace

int print_completion(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const std::string shell = asked->words.size() == 1 ? asked->words.front() : "";
  if (shell == "bash") {
    std::cout << bash_script();
  } else if (shell == "zsh") {
    std::cout << zsh_script();
  } else if (shell == "fish") {
    std::cout << fish_script();
  } else {
    return complain(command, "want the name of a shell: bash, zsh or fish");
  }
  return kSuccess;
}

}  // namespace bellows::cli
