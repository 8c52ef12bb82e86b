// The days of a machine's services as text, for the next process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/history/day_journal.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::history {

/// The decisions of one revision.
struct SavedDay {
  RevisionId service;
  RevisionId revision;
  std::unique_ptr<DayJournal> day;
};

/// The starts of a revision that failed since the last one that succeeded.
struct FailedStarts {
  RevisionId revision;
  std::int64_t count = 0;
  std::string last;  ///< why the last one failed
  TimePoint at;      ///< when it did
};

struct SavedDays {
  TimePoint at;                           ///< when they were saved
  bool is_stopped = false;                ///< by a process that ended; false: by one that went on
  std::vector<journal::ProcessEnd> ends;  ///< of earlier processes
  std::map<RevisionId, std::vector<journal::ShareChange>> changes;  ///< by service
  std::vector<FailedStarts> failed;  ///< of revisions that cannot start
  std::vector<SavedDay> days;  ///< of removed revisions first; of one revision there may be several

  /// Returns the end of the process that saved them.
  journal::ProcessEnd end() const { return {.at = at, .is_stopped = is_stopped}; }
  /// Returns the time of the newest decision, change or failed start.
  TimePoint newest() const;
  /// Adds what was saved later: the whole of ends, changes and failed starts, and the blocks of
  /// days since. Does nothing if it was saved earlier.
  void add(SavedDays later);
};

/// Returns days as lines of JSON. `wall_ahead`: the calendar minus the monotonic time line. Pure.
std::string days_text(const SavedDays& days, Duration wall_ahead);

/// Reads such lines onto the time line of `wall_ahead`: by whole evaluation periods, because slots
/// of scale-down-delay are as long, so instants may be a second off. Text that another version
/// wrote is not for it.
Result<SavedDays> read_days(std::string_view lines, Duration wall_ahead);

}  // namespace bellows::autoscaler::history
