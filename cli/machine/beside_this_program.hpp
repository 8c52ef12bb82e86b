// Programs that are installed together stand in one folder.
#pragma once

#include <string>

namespace bellows::cli {

/// The path of program `name` in the folder of the running one.
std::string beside_this_program(const std::string& name);

}  // namespace bellows::cli
