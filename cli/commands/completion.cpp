// bellows completion: scripts for bash, zsh and fish, made from the table of commands.
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

namespace {

std::string names() {
  std::string text;
  for (const Command& command : commands())
    text += (text.empty() ? "" : " ") + std::string(command.name);
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
      names() +
      "\" -- \"$word\")); return; fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands()) {
    script += "    " + std::string(command.name) + ") flags=\"" + flags_of(command) + "\" ;;\n";
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

std::string fish_script() {
  std::string script = "complete -c bellows -f -n __fish_use_subcommand -a '" + names() + "'\n";
  for (const Command& command : commands()) {
    for (const config::Declaration& setting : command.settings()) {
      script += "complete -c bellows -n '__fish_seen_subcommand_from " + std::string(command.name) +
                "' -l " + setting.name + "\n";
    }
  }
  return script;
}

}  // namespace

int print_completion(const Command& command, const Arguments& arguments) {
  const auto layers = read_layers(command, arguments);
  if (!layers) return kSuccess;
  const std::string shell = arguments.words.size() == 1 ? arguments.words.front() : "";
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
