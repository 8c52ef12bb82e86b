// A status as lines for people.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cli/status/status_model.hpp"

namespace bellows::cli {

/// One line per service, with titles.
std::vector<std::string> summary_lines(const Status& status);

/// One line per service that is measured, with what is recommended; none: no lines.
std::vector<std::string> size_lines(const Status& status);

/// The summary, the sizes, and below them one line per replica, and every trouble in words.
std::vector<std::string> wide_lines(const Status& status);

/// "web  Active panic  3/8 replicas ready  45 in flight  12 waiting": the live line of `bellows
/// run`.
std::string one_line(const RevisionStatus& revision);

/// What a chart is drawn from; one entry per look, the oldest dropped beyond `kHistory`.
struct StatusHistory {
  static constexpr std::size_t kHistory = 240;
  std::deque<double> in_flight;
  std::deque<double> replicas;

  void add(const RevisionStatus& revision);
};

/// Load above, replicas below, over time; `width` cells wide.
std::vector<std::string> chart_lines(const StatusHistory& history, std::size_t width);

}  // namespace bellows::cli
