// Finds programs that belong to the running one.
#pragma once

#include <string>

namespace bellows::sys {

/// The path of the program `name`: in the folder of the running program, as a build leaves them, or
/// in ../libexec/bellows, where an installation has those that people do not call. In the first
/// folder if it is in neither, for the error to name.
std::string sibling_program(const std::string& name);

}  // namespace bellows::sys
