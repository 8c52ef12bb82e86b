// Finds programs that are installed in the same folder.
#pragma once

#include <string>

namespace bellows::cli {

/// The path of the program `name` in the folder of the running program.
std::string sibling_program(const std::string& name);

}  // namespace bellows::cli
