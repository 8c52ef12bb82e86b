// The difference between the settings of a running machine and a changed settings file.
#pragma once

#include <string>
#include <vector>

#include "config/run_settings.hpp"

namespace bellows::machine {

/// Returns the settings of the machine itself that differ, which take effect after a restart.
/// Services change while they run (machine/core/difference.hpp).
std::vector<std::string> after_restart(const config::RunSettings& running,
                                       const config::RunSettings& requested);

}  // namespace bellows::machine
