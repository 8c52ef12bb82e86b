// The learned states of all slow brains, in a file of their own, because the tables are larger than
// the deciders' state and change every few minutes instead of every second.
#pragma once

#include <map>
#include <string>

#include "autoscaler/slow/slow_brain.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

using SlowStates = std::map<RevisionId, slow::SlowState>;

/// Writes a first line "bellows slow brain 2 CHECKSUM", with the FNV-1a of the rest in hexadecimal,
/// then a line of JSON per revision. Instants are ages; `wall` is the time of writing, so that the
/// tables age while no process runs.
std::string slow_states_text(const SlowStates& states, TimePoint now, WallTime wall);
/// Reads the text. kUnsupported: another version. kMalformed: a wrong checksum, or a field, its
/// value and what is valid.
Result<SlowStates> parse_slow_states(const std::string& text, TimePoint now, WallTime wall);

/// Reads the file. It renames an invalid file to PATH.unusable, which the error names; the caller
/// then restarts learning. No file: empty.
Result<SlowStates> read_slow_file(const std::string& path, TimePoint now, WallTime wall);
/// Replaces the file atomically: a reader finds the whole previous content or the whole new one.
Result<void> write_slow_file(const std::string& path, const SlowStates& states, TimePoint now,
                             WallTime wall);

}  // namespace bellows::autoscaler
