// What deciders remember, across restarts: a small JSON file (version 2, docs/snapshot.md).
//
// An instant means something only within one boot and one time line, so the file holds ages and the
// calendar time of writing. What lies between writing and reading is taken from the calendar and
// held to [0, stable window]: a calendar that was set back or forward does no more harm than that.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "autoscaler/core/decider_state.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// One moment on both time lines.
struct Moment {
  TimePoint now;
  WallTime wall;

  bool operator==(const Moment&) const = default;
};

struct SavedStates {
  Moment at{};  ///< of saving, on the time line of the states' instants
  std::map<RevisionId, DeciderState> revisions;
  bool operator==(const SavedStates&) const = default;
};

/// `state`, which is one of `saved`, as it is now.
DeciderState restored(const SavedStates& saved, const DeciderState& state, Duration stable_window,
                      const Moment& now);

/// Every field of journal/fields.hpp, so none is forgotten.
std::string states_json(const SavedStates& states);
/// Also of version 1. Fields that are missing have the value of an empty state, unknown ones are
/// ignored. kMalformed names the field, its value and what it should be; kUnsupported another
/// version.
Result<SavedStates> parse_states(std::string_view json);

/// Nothing saved yet (no such file) is an empty SavedStates. kSystem or what parse_states says,
/// with the file as culprit.
Result<SavedStates> read_state_file(const std::string& path);
/// Writes beside it and renames, so a reader sees the old or the new one whole. Not synced to disk:
/// what it protects from is the end of this process, not of the machine, which ends the replicas
/// too. kSystem naming the file.
Result<void> write_state_file(const std::string& path, const SavedStates& states);

}  // namespace bellows::autoscaler
