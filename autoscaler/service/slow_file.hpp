// What the slow brains of all revisions learned, in a file of its own: the tables are larger than
// the deciders' state and change every few minutes, not every second.
#pragma once

#include <map>
#include <string>

#include "autoscaler/slow/slow_brain.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

using SlowStates = std::map<RevisionId, slow::SlowState>;

/// A first line "bellows slow brain 2 CHECKSUM", FNV-1a of the rest in hexadecimal, then a line of
/// JSON per revision. Instants are ages; `wall` is when it is written, so that the time away ages
/// the tables.
std::string slow_states_text(const SlowStates& states, TimePoint now, WallTime wall);
/// kUnsupported: another version. kMalformed: a broken checksum, or a field, its value and what it
/// should be.
Result<SlowStates> parse_slow_states(const std::string& text, TimePoint now, WallTime wall);

/// Reads it. A file that cannot be used is renamed to PATH.unusable, and the error says so; the
/// caller begins anew. No file: empty.
Result<SlowStates> read_slow_file(const std::string& path, TimePoint now, WallTime wall);
/// Replaces it, so that a reader finds the previous content or the new one, whole.
Result<void> write_slow_file(const std::string& path, const SlowStates& states, TimePoint now,
                             WallTime wall);

}  // namespace bellows::autoscaler
