// bellows version.
#include "base/version.hpp"

#include <iostream>

#include "cli/command.hpp"

namespace bellows::cli {

int print_version(const Command&, const Arguments&) {
  std::cout << "bellows " << kVersion << "\n";
  return kSuccess;
}

}  // namespace bellows::cli
