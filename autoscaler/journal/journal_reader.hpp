// Reads a journal's lines back into decisions.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// The content of a journal: the decisions, computed again from its lines, oldest first.
struct JournalContents {
  std::string service;        ///< empty if the journal does not name it
  Duration wall_ahead{};      ///< the calendar minus the time line of the decisions
  bool has_calendar = false;  ///< false: wall_ahead is unknown
  std::vector<Decision> decisions;
  std::vector<IdleTimes> idle_times;  ///< as known at each of the decisions
};

/// Reads a journal. kMalformed names the line, as `bellows replay decisions` does.
Result<JournalContents> read_journal(std::istream& lines);

}  // namespace bellows::autoscaler::journal
