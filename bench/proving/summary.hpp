// All matches as text, as lines of JSON, and as a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/proving/match.hpp"

namespace bellows::proving {

/// What the matches have in common.
struct Report {
  std::uint64_t seed = 0;
  std::string command;  ///< that replays one scenario, up to its number
  std::vector<Match> matches;
};

/// The share of the scenarios in which bellows keeps within both limits.
double share_within(const Report& report);
/// The table by kind, the totals against what must be reached, the worst ten with their commands.
std::string summary_text(const Report& report);
/// Every number of one scenario.
std::string match_text(const Match& match);
/// One object in a line.
std::string match_json(const Match& match);
/// One page: every scenario is a point, waiting against waste, both relative to knative.
std::string picture_html(const Report& report);

}  // namespace bellows::proving
