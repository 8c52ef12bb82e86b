// Reads and writes the state of a planner as a JSON file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

inline constexpr std::int64_t kStateVersion = 1;

std::string state_json(const SavedState& state);
/// Parses a state. kMalformed: truncated, of another version, or with an impossible value; `name`
/// is the file.
Result<SavedState> read_state(std::string_view text, const std::string& name);

}  // namespace bellows::slack
