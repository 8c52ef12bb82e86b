// All matches as text, as lines of JSON, and as a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/proving/match.hpp"

namespace bellows::proving {

/// The common properties of the matches.
struct Report {
  std::uint64_t seed = 0;
  std::string command;  ///< that replays one scenario, up to its number
  std::vector<Match> matches;
};

/// Returns the share of the scenarios in which bellows keeps within both limits.
double share_within(const Report& report);
/// Returns the table by kind, the totals beside the required limits, and the worst ten with their
/// commands.
std::string summary_text(const Report& report);
/// Returns every number of one scenario.
std::string match_text(const Match& match);
/// Returns one object in a line.
std::string match_json(const Match& match);
/// Returns a page with a point for each scenario: waiting against waste, both relative to knative.
std::string picture_html(const Report& report);

}  // namespace bellows::proving
