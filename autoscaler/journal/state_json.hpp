// The memory of a decider as a JSON object: the snapshot at the start of a journal, and the entry
// of a revision in the state file.
#pragma once

#include <string_view>

#include "autoscaler/core/state/decider_state.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Writes the state under `key`; instants are ages at `at`, in seconds.
void write_state(json::Writer& line, std::string_view key, const DeciderState& state, TimePoint at);

/// Reads a state. A missing member has the value of an empty state. kMalformed names line, key and
/// value.
Result<DeciderState> read_state(const json::Object& state, TimePoint at);

}  // namespace bellows::autoscaler::journal
