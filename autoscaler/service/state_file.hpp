// The memory of deciders across restarts: a JSON file (version 2, docs/formats/snapshot.md), which
// service/state_log.hpp writes together with its changes, or the same for one revision, which a
// cluster keeps.
//
// An instant of the monotonic clock is valid only within one boot, so it holds ages and the
// calendar time of writing. The time between writing and reading comes from the calendar and is
// clamped to [0, stable window], which limits the error of a calendar that was set meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "autoscaler/core/state/decider_state.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// One instant on both clocks.
struct ClockPair {
  TimePoint now;  ///< of the monotonic clock
  WallTime wall;  ///< of the calendar

  bool operator==(const ClockPair&) const = default;
};

struct SavedStates {
  ClockPair at{};  ///< of saving, on the clock of the states' instants
  std::map<RevisionId, DeciderState> revisions;
  std::string series = {};  ///< names the file for its changes (state_changes.hpp); may be empty
  bool operator==(const SavedStates&) const = default;
};

/// Returns `state`, which was saved at `saved_at`, with its instants on the time line of `now`.
DeciderState restored(const ClockPair& saved_at, const DeciderState& state, Duration stable_window,
                      const ClockPair& now);

/// Returns the begin of a file. A file is states_head(), an append_state() for each revision,
/// kStatesEnd. It has every field of journal/fields.hpp. Instants of a state may be later than
/// `at`, because writing takes time.
std::string states_head(const ClockPair& at, std::string_view series);
void append_state(std::string& out, const RevisionId& id, const DeciderState& state, TimePoint at);
/// Its name in errors.
inline constexpr std::string_view kStateFile = "state file";
/// Files have no calendar time after this one, in milliseconds since 1970: it is in the year 2109.
inline constexpr std::int64_t kMaxUnixMs = 1LL << 42;

inline constexpr std::string_view kStatesEnd = "]}\n";
/// Reads states. Missing fields have the value of an empty state, unknown ones are ignored.
/// kMalformed names the field, its value and what is valid; kUnsupported: another version.
Result<SavedStates> parse_states(std::string_view json);

/// The state of one revision, for a cluster that keeps it (cluster::Report::saved_state).
struct SavedState {
  ClockPair at{};
  DeciderState state;
};

/// Returns {"version":2,"saved_at_unix_ms":N,"state":{...}}, without a line break.
std::string state_json(const SavedState& saved);
/// Reads such a text. Errors as of parse_states().
Result<SavedState> parse_state(std::string_view json);

/// Reads a state file without its changes; empty if there is no such file. Errors of the system and
/// of parse_states() name the file.
Result<SavedStates> read_state_file(const std::string& path);

}  // namespace bellows::autoscaler
