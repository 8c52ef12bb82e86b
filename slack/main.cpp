// slack: the command line.
#include "command/program.hpp"
#include "slack/commands.hpp"

int main(int argc, char** argv) {
  return bellows::command::run_program(bellows::slack::slack_program(), argc, argv);
}
