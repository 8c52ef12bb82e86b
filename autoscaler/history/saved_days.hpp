// The days of a machine's services as text, for the next process.
#pragma once

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

struct SavedDays {
  std::map<RevisionId, std::vector<journal::ShareChange>> changes;  ///< by service
  std::vector<SavedDay> days;  ///< of removed revisions first; of one revision there may be several
};

/// Collects days as lines of JSON. Pure.
class DaysText {
 public:
  /// `wall_ahead`: the calendar minus the monotonic time line.
  explicit DaysText(Duration wall_ahead);
  void add(const RevisionId& service, const std::vector<journal::ShareChange>& changes);
  void add(const RevisionId& service, const RevisionId& revision, const DayJournal& day);
  std::string take() { return std::move(lines_); }

 private:
  std::string lines_;
};

/// Reads such lines onto the time line of `wall_ahead`: by whole evaluation periods, because slots
/// of scale-down-delay are as long, so instants may be a second off. Text that DaysText of another
/// version wrote is not for it.
Result<SavedDays> read_days(std::string_view lines, Duration wall_ahead);

}  // namespace bellows::autoscaler::history
