// Applies log settings.
#pragma once

#include <string>

#include "config/log_settings.hpp"

namespace bellows::config {

/// Calls sys::log::configure(). Call it once, before the first log line.
void start_logging(const LogSettings& settings, std::string program);

}  // namespace bellows::config
