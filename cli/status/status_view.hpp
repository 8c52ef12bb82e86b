// A status as lines for people.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cli/status/status_model.hpp"

namespace bellows::cli {

/// Returns a line that the cluster is unreachable, and an empty line. Empty if it is reachable.
std::vector<std::string> cluster_lines(const Status& status);

/// Returns a title line and one line per service.
std::vector<std::string> summary_lines(const Status& status);

/// Returns the room of the machine, the replicas that fit, and those that would not. Empty if no
/// service has a size.
std::vector<std::string> machine_lines(const Status& status);

/// Returns one line per measured service with its recommended size. Empty if no service is
/// measured.
std::vector<std::string> size_lines(const Status& status);

/// Returns the state of the cluster, the summary, the room of the machine and the sizes: the output
/// `table`.
std::vector<std::string> table_with_sizes(const Status& status);

/// Returns the demands of policies if the load alone does not decide, occupied replicas, and future
/// demands of schedules. Empty if there are none.
std::vector<std::string> policy_lines(const Status& status);

/// Returns the same, and one line per replica: the output `wide`.
std::vector<std::string> wide_lines(const Status& status);

/// Returns "web  Active panic  3/8 replicas ready  45 in flight  12 waiting": the live line of
/// `bellows run`.
std::string one_line(const ServiceStatus& revision);

/// Returns the requests in flight now: those at the replicas and those that wait for one.
double load_now(const ServiceStatus& revision);

/// Returns "12.0", "3": with a fraction if it matters.
std::string load_text(double load);

/// The values of a chart: one per poll, at most `kHistory` of them.
struct StatusHistory {
  static constexpr std::size_t kHistory = 240;
  std::deque<double> in_flight;
  std::deque<double> replicas;

  void add(const ServiceStatus& revision);
};

/// Returns two charts over time, the load above the replicas, `width` cells wide.
std::vector<std::string> chart_lines(const StatusHistory& history, std::size_t width);

}  // namespace bellows::cli
