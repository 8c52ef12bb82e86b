// Services, revisions and shares as the text of a state file. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "services/core/service_record.hpp"

namespace bellows::services {

/// One JSON object with a line for each service; read_state() returns the same records.
std::string state_text(const Records& records);

/// kMalformed with the place, the value and what is valid; also for a text that was cut short, for
/// shares that do not add up to 100, and for a newer version.
Result<Records> read_state(std::string_view text);

}  // namespace bellows::services
