#include "command/completion.hpp"

#include <iostream>
#include <span>

#include "command/errors.hpp"

namespace bellows::command {

namespace {

std::string names(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands)
    text += (text.empty() ? "" : " ") + std::string(last_word(command));
  return text;
}

std::string flags_of(const Command& command) {
  std::string text = command.main_settings.empty() ? "--help" : "--help --help-all";
  for (const config::Declaration& setting : command.settings()) text += " --" + setting.name;
  return text;
}

/// A row of a shell `case` that sets the flags of a command.
std::string flags_row(const std::string& pattern, const Command& command) {
  return "    " + pattern + ") flags=\"" + flags_of(command) + "\" ;;\n";
}

/// Completes the second word with the subcommands of `command`.
std::string subcommand_lines(const Command& command) {
  return "  if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = " + std::string(command.name) +
         " ]; then\n    COMPREPLY=($(compgen -W \"" + names(command.subcommands()) +
         "\" -- \"$word\")); return\n  fi\n";
}

/// Commands and flags of `commands`, offered where fish's condition `when` holds.
std::string fish_lines(const std::string& program, std::span<const Command> commands,
                       const std::string& when) {
  std::string lines =
      "complete -c " + program + " -f -n '" + when + "' -a '" + names(commands) + "'\n";
  for (const Command& command : commands) {
    for (const config::Declaration& setting : command.settings()) {
      lines += "complete -c " + program + " -n '__fish_seen_subcommand_from " +
               std::string(last_word(command)) + "' -l " + setting.name + "\n";
    }
  }
  return lines;
}

}  // namespace

std::string bash_completion(const Program& program) {
  const std::string name(program.name);
  std::string script = "_" + name +
                       "() {\n"
                       "  local word=${COMP_WORDS[COMP_CWORD]} flags=\"--help\"\n"
                       "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
                       names(program.commands) + "\" -- \"$word\")); return; fi\n";
  std::string first_rows;
  std::string second_rows;
  for (const Command& command : program.commands) {
    first_rows += flags_row(std::string(command.name), command);
    if (command.subcommands == nullptr) continue;
    script += subcommand_lines(command);
    for (const Command& subcommand : command.subcommands())
      second_rows += flags_row("\"" + std::string(subcommand.name) + "\"", subcommand);
  }
  script += "  case ${COMP_WORDS[1]} in\n" + first_rows + "  esac\n";
  if (!second_rows.empty()) {
    script += "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n" + second_rows + "  esac\n";
  }
  return script +
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _" +
         name + " " + name + "\n";
}

/// zsh runs the bash script through its own adaptor.
std::string zsh_completion(const Program& program) {
  return "#compdef " + std::string(program.name) +
         "\nautoload -U +X bashcompinit && bashcompinit\n" + bash_completion(program);
}

std::string fish_completion(const Program& program) {
  const std::string name(program.name);
  std::string script = fish_lines(name, program.commands, "__fish_use_subcommand");
  for (const Command& command : program.commands) {
    if (command.subcommands == nullptr) continue;
    script += fish_lines(name, command.subcommands(),
                         "__fish_seen_subcommand_from " + std::string(command.name));
  }
  return script;
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
