// Finds programs that belong to the running one.
#pragma once

#include <string>

namespace bellows::sys {

/// Returns the path of the program `name`. It is in the folder of the running program in a build,
/// or in ../libexec/bellows in an installation, which keeps programs there that users do not call.
/// If it is in neither, returns the path in the first folder, so that the error names it.
std::string sibling_program(const std::string& name);

}  // namespace bellows::sys
