// Services, revisions and shares as the text of a state file. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// Returns one service as a line of JSON.
std::string state_line(const ServiceRecord& service);

/// Returns one JSON object of the lines of services, by name; read_state() returns their records.
std::string state_text(const std::map<RevisionId, std::string>& lines);

/// kMalformed with the place, the value and what is valid; also for a truncated text, for shares
/// that do not add up to 100, and for a newer version.
Result<Records> read_state(std::string_view text);

}  // namespace bellows::machine
