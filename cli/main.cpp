// bellows: the command line.
#include "base/sys/descriptor_reserve.hpp"
#include "cli/commands.hpp"
#include "command/program.hpp"

int main(int argc, char** argv) {
  bellows::sys::open_standard_descriptors();
  return bellows::command::run_program(bellows::cli::bellows_program(), argc, argv);
}
