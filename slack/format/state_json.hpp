// What a planner continues from, as a file of JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

inline constexpr std::int64_t kStateVersion = 1;

std::string state_json(const SavedState& state);
/// kMalformed: cut short, of another version, or a value that cannot be right; `name` is the file.
Result<SavedState> read_state(std::string_view text, const std::string& name);

}  // namespace bellows::slack
