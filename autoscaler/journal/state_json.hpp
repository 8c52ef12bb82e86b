// The memory of a decider as a JSON object: the snapshot at the start of a journal, and the entry
// of a revision in the state file and its changes.
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

/// Writes member "policies" of the open object: each policy whose memory the decision at `at`
/// changed, with that change.
void write_policy_changes(json::Writer& line, const PolicyMemories& memories, TimePoint at);
/// Applies such a member. kMalformed: it changes nothing.
Result<void> read_policy_changes(const json::Object& line, TimePoint at, PolicyMemories& memories);

/// Returns the same memory with every instant `by` later.
DeciderState moved(const DeciderState& state, Duration by);

}  // namespace bellows::autoscaler::journal
