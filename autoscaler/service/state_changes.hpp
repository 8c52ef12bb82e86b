// The lines of PATH.changes, which follow a state file while it is in use
// (docs/formats/snapshot.md), so that a save writes only the changes.
//
//   {"changes-of":SERIES}                                     the first line: the file
//   {"after":S,"name":NAME,"state":{...}}                     a whole state
//   {"after":S,"name":NAME,"policies":[{"policy":P,"memory":{...}}]}
//                                                             the changes of a decision
//   {"after":S,"name":NAME,"gone":true}                       it is no longer listed
//
// `after`: seconds since the time of the file; ages count from there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "autoscaler/service/state_file.hpp"

namespace bellows::autoscaler {

inline constexpr std::string_view kChangesSuffix = ".changes";

std::string changes_head(std::string_view series);
/// Returns the line of a whole state without its begin, after_text().
std::string state_change(const RevisionId& id, const DeciderState& state, TimePoint at);
/// Returns the line of the changes of the decision at `at` in the memory of policies, likewise.
std::string policy_change(const RevisionId& id, const PolicyMemories& memories, TimePoint at);
std::string gone_change(const RevisionId& id);
/// Returns the begin of a line.
std::string after_text(Duration after);

/// Applies `text` to the states, unless it belongs to another series. The error names the first
/// line that is invalid or truncated; the lines before it count, and yield an earlier state of
/// these revisions.
Result<void> apply_changes(std::string_view text, SavedStates& states);

/// The readable parts of a state file and its changes.
struct SavedParts {
  SavedStates states;
  std::optional<Error> damage;  ///< of the changes: the later ones are lost
};
/// Reads both files. Errors as of read_state_file().
Result<SavedParts> read_saved_states(const std::string& path);

}  // namespace bellows::autoscaler
