// bellows: the command line.
#include "cli/commands.hpp"
#include "command/program.hpp"

int main(int argc, char** argv) {
  return bellows::command::run_program(bellows::cli::bellows_program(), argc, argv);
}
