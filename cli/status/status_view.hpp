// A status as lines for people.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cli/status/status_model.hpp"

namespace bellows::cli {

/// That the cluster is unreachable, and an empty line. Empty if it is not.
std::vector<std::string> cluster_lines(const Status& status);

/// A title line and one line per service.
std::vector<std::string> summary_lines(const Status& status);

/// What the machine has for replicas, what fits, and what would not. Empty if no service has a
/// size.
std::vector<std::string> machine_lines(const Status& status);

/// One line per measured service with its recommended size. Empty if no service is measured.
std::vector<std::string> size_lines(const Status& status);

/// The state of the cluster, the summary, the room of the machine and the sizes: the output
/// `table`.
std::vector<std::string> table_with_sizes(const Status& status);

/// Which policies ask for what where it is not the load alone, who is occupied, and what schedules
/// will want. Empty if there is nothing to say.
std::vector<std::string> policy_lines(const Status& status);

/// The same, and one line per replica: the output `wide`.
std::vector<std::string> wide_lines(const Status& status);

/// "web  Active panic  3/8 replicas ready  45 in flight  12 waiting": the live line of `bellows
/// run`.
std::string one_line(const RevisionStatus& revision);

/// Requests in flight now: those at the replicas and those that wait for one.
double load_now(const RevisionStatus& revision);

/// "12.0", "3": with a fraction where there is one and it says something.
std::string load_text(double load);

/// What a chart is drawn from: one value per poll, at most `kHistory` of them.
struct StatusHistory {
  static constexpr std::size_t kHistory = 240;
  std::deque<double> in_flight;
  std::deque<double> replicas;

  void add(const RevisionStatus& revision);
};

/// Two charts over time, the load above the replicas, `width` cells wide.
std::vector<std::string> chart_lines(const StatusHistory& history, std::size_t width);

}  // namespace bellows::cli
