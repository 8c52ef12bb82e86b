// Whether the file of a waiting-page can be shown.
#pragma once

#include "config/service.hpp"

namespace bellows::cli {

/// Reads it: kInvalidSetting names the service and the file that cannot be read or is too large.
Result<void> check_waiting_page(const config::Service& service);

}  // namespace bellows::cli
