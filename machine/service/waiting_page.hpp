// Checks the file of a waiting-page.
#pragma once

#include "base/result.hpp"
#include "config/revision_settings.hpp"

namespace bellows::machine {

/// Reads the file. kInvalidSetting names waiting-page and the file that cannot be read or is too
/// large.
Result<void> check_waiting_page(const config::RevisionSettings& settings);

}  // namespace bellows::machine
