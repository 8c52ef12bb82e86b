// Writes docs/settings.md.
#pragma once

#include <string>

namespace bellows::config {

/// Returns the whole page: every program with its settings. A test compares it with the one in
/// docs/.
std::string settings_page();

}  // namespace bellows::config
