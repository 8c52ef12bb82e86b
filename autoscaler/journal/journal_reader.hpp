// A journal's lines as decisions again.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// What a journal tells: the decisions, made again from its lines, oldest first.
struct Told {
  std::string service;        ///< empty if it does not say
  Duration wall_ahead{};      ///< the calendar less the time line of the decisions
  bool has_calendar = false;  ///< false: wall_ahead is not known
  std::vector<Decision> decisions;
  std::vector<Gaps> calls;  ///< as they were known at each of the decisions
};

/// kMalformed names the line, as `bellows replay decisions` does.
Result<Told> read_journal(std::istream& lines);

}  // namespace bellows::autoscaler::journal
