// recommender: the command line.
#include "command/program.hpp"
#include "recommender/commands.hpp"

int main(int argc, char** argv) {
  return bellows::command::run_program(bellows::recommender::recommender_program(), argc, argv);
}
