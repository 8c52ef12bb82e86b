// The lines that follow a state file while it is in use, beside it in PATH.changes
// (docs/formats/snapshot.md): a save costs what changed, not what there is.
//
//   {"changes-of":SERIES}                                     the first line: of which file
//   {"after":S,"name":NAME,"state":{...}}                     a whole state
//   {"after":S,"name":NAME,"policies":[{"policy":P,"memory":{...}}]}
//                                                             what a decision changed
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
/// A whole state, without the begin of its line: what follows after_text().
std::string state_change(const RevisionId& id, const DeciderState& state, TimePoint at);
/// What the decision at `at` changed in the memory of policies.
std::string policy_change(const RevisionId& id, const PolicyMemories& memories, TimePoint at);
std::string gone_change(const RevisionId& id);
/// The begin of a line.
std::string after_text(Duration after);

/// Applies `text` to the states of its series; nothing if it belongs to another one. The error
/// names the first line that cannot be read, or that was cut short: what stands before it counts,
/// and is an earlier state of these revisions.
Result<void> apply_changes(std::string_view text, SavedStates& states);

/// What there is of a state file and its changes.
struct SavedParts {
  SavedStates states;
  std::optional<Error> damage;  ///< of the changes: the later ones are lost
};
/// Errors as of read_state_file().
Result<SavedParts> read_saved_states(const std::string& path);

}  // namespace bellows::autoscaler
