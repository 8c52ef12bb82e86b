// What deciders remember, across restarts: a small JSON file (version 1, docs/snapshot.md).
//
// An instant means something only within one boot and one time line, so the file holds ages and the
// calendar time of writing. What lies between writing and reading is taken from the calendar and
// held to [0, stable window]: a calendar that was set back or forward does no more harm than that.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/decider_state.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// A DeciderState with ages for instants.
struct SavedState {
  struct SavedPanic {
    Duration since{};
    Duration last_over{};
    PodCount most = 0;
    bool operator==(const SavedPanic&) const = default;
  };
  struct SavedActivity {
    Serving state = Serving::kInactive;
    Duration since{};
    bool operator==(const SavedActivity&) const = default;
  };
  struct SavedDelay {
    Duration age{};
    PodCount pods = 0;
    bool operator==(const SavedDelay&) const = default;
  };
  PodCount want = 0;
  std::optional<SavedPanic> panic;
  SavedActivity activity;
  Duration idle{};                ///< since the last load
  std::optional<Duration> known;  ///< how far back the load was known
  std::vector<SavedDelay> delay;  ///< the delay window, oldest first
  struct SavedGap {
    Duration gap{};
    Duration period{};
    bool operator==(const SavedGap&) const = default;
  };
  struct SavedGaps {
    Duration begun{};  ///< since the newest calls began
    std::vector<SavedGap> known;
    bool operator==(const SavedGaps&) const = default;
  };
  std::optional<SavedGaps> gaps;  ///< between calls; nothing: nobody ever called
  std::int32_t burstiness_percent = 100;
  bool is_initialised = false;
  bool operator==(const SavedState&) const = default;
};

struct SavedStates {
  WallTime saved_at{};
  std::map<RevisionId, SavedState> revisions;
  bool operator==(const SavedStates&) const = default;
};

/// One moment on both time lines.
struct Moment {
  TimePoint now;
  WallTime wall;
};

SavedState saved(const DeciderState& state, TimePoint now);
DeciderState restored(const SavedState& saved, WallTime saved_at, Duration stable_window,
                      const Moment& moment);

std::string states_json(const SavedStates& states);
/// Unknown fields are ignored. kMalformed names the field, its value and what it should be;
/// kUnsupported another version.
Result<SavedStates> parse_states(std::string_view json);

/// Nothing saved yet (no such file) is an empty SavedStates. kSystem or what parse_states says,
/// with the file as culprit.
Result<SavedStates> read_state_file(const std::string& path);
/// Writes beside it and renames, so a reader sees the old or the new one whole. Not synced to disk:
/// what it protects from is the end of this process, not of the machine, which ends the replicas
/// too. kSystem naming the file.
Result<void> write_state_file(const std::string& path, const SavedStates& states);

}  // namespace bellows::autoscaler
