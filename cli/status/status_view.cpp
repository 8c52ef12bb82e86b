#include "cli/status/status_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "autoscaler/explain/text.hpp"
#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"
#include "cli/screen/chart.hpp"
#include "cli/status/status_items.hpp"
#include "report/text_table.hpp"

namespace bellows::cli {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 || value == std::floor(value) ? "%.0f" : "%.1f",
                value);
  return text;
}

std::string replica_count(const ServiceStatus& revision) {
  std::string text = std::to_string(revision.ready) + "/" + std::to_string(revision.desired);
  if (revision.starting > 0) text += " (" + std::to_string(revision.starting) + " starting)";
  return text;
}

std::string state_text(const ServiceStatus& revision) {
  return revision.is_paused ? "Paused" : revision.state;
}

/// Returns the usage, then the request if there is one: "250m of 400m".
std::string cpu_cell(const ReplicaStatus& replica) {
  const std::string used = replica.cpu ? to_string(*replica.cpu) : "-";
  return replica.cpu_request ? used + " of " + to_string(*replica.cpu_request) : used;
}

/// Returns "12.0 MB", "12.0 MB of 67.1 MB, at most 134 MB".
std::string memory_cell(const ReplicaStatus& replica) {
  std::string text = replica.memory ? rounded_text(*replica.memory) : "-";
  if (replica.memory_request) text += " of " + rounded_text(*replica.memory_request);
  if (replica.memory_limit) text += ", at most " + rounded_text(*replica.memory_limit);
  return text;
}

/// Returns its problem, or why its app was restarted.
std::string trouble_cell(const ReplicaStatus& replica) {
  const bool was_restarted = replica.trouble.empty() && !replica.restarted_because.empty();
  return was_restarted ? "restarted: " + replica.restarted_because : replica.trouble;
}

/// Returns "ready", "ready, h2c".
std::string phase_cell(const ReplicaStatus& replica) {
  return replica.app_protocol.empty() ? replica.phase : replica.phase + ", " + replica.app_protocol;
}

std::vector<std::string> replica_row(const std::string& service, const ReplicaStatus& replica) {
  return {service,
          replica.name,
          phase_cell(replica),
          number(replica.in_flight),
          cpu_cell(replica),
          memory_cell(replica),
          replica.start_took ? rounded_duration_text(*replica.start_took) : "-",
          std::to_string(replica.restarts),
          trouble_cell(replica)};
}

/// Returns "126m (95m to 250m)".
template <class Amount>
std::string range_text(const RangeStatus& range, std::string (*text)(Amount)) {
  if (!range.target) return "-";
  std::string result = text(Amount{*range.target});
  if (range.lower && range.upper) {
    result += " (" + text(Amount{*range.lower}) + " to " + text(Amount{*range.upper}) + ")";
  }
  return result;
}

std::string cpu_text(Millicores cpu) {
  return to_string(cpu);
}

std::string memory_text(Bytes memory) {
  return rounded_text(memory);
}

std::string sizing_reason(const ResourcesStatus& resources) {
  if (!resources.trouble.empty()) return "ERROR: " + resources.trouble;
  if (resources.note.empty()) return resources.because;
  return resources.note + (resources.because.empty() ? "" : "; " + resources.because);
}

/// Returns what hinders the revision first, then the words of its decision. One whose requests
/// cannot take the ordered path keeps its last replica.
std::string reason_cell(const ServiceStatus& revision) {
  const std::string trouble = service_trouble(revision);
  if (!trouble.empty()) return "ERROR: " + trouble;
  if (revision.path_problem.empty()) return revision.because;
  return revision.path_problem + (revision.because.empty() ? "" : "; " + revision.because);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

void append_lines(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace

double load_now(const ServiceStatus& revision) {
  double load = revision.waiting;
  for (const ReplicaStatus& replica : revision.replicas) load += replica.in_flight;
  return load;
}

std::string load_text(double load) {
  return number(load);
}

std::vector<std::string> size_lines(const Status& status) {
  std::vector<std::vector<std::string>> rows;
  for_each_revision(status, [&rows](const ServiceStatus& revision) {
    if (!revision.resources) return;
    const ResourcesStatus& resources = *revision.resources;
    rows.push_back({revision.title(), resources.mode, resources.policy,
                    range_text(resources.cpu, cpu_text), range_text(resources.memory, memory_text),
                    sizing_reason(resources)});
  });
  if (rows.empty()) return {};
  return report::table_lines({{"SERVICE"}, {"SIZES"}, {"POLICY"}, {"CPU"}, {"MEMORY"}, {"REASON"}},
                             rows);
}

std::vector<std::string> cluster_lines(const Status& status) {
  if (!status.unreachable_for) return {};
  return {"The cluster has not been reachable for " +
              rounded_duration_text(*status.unreachable_for) +
              ": replicas are those of its last list.",
          ""};
}

std::vector<std::string> refused_lines(const Status& status) {
  if (!status.refused) return {};
  const RefusedStatus& refused = *status.refused;
  const std::string subject = refused.of.empty() ? "a connection" : refused.of;
  return {"", std::to_string(refused.total) + " stats were rejected, the last " +
                  rounded_duration_text(refused.age) + " ago: " + subject + " from " +
                  refused.peer + " (" + refused.reason + ")."};
}

namespace {

std::vector<std::string> summary_row(const std::string& name, const ServiceStatus& service,
                                     const std::string& reason) {
  return {name,
          state_text(service),
          service.mode,
          replica_count(service),
          number(service.stable_concurrency),
          number(service.panic_concurrency),
          autoscaler::explain::number_text(service.target),
          number(service.waiting),
          reason};
}

/// Returns "90 % to web-00001, 10 % to web-00002".
std::string shares_text(const ServiceStatus& service) {
  std::string text;
  for (const ServiceStatus& revision : service.revisions) {
    text += (text.empty() ? "" : ", ") + std::to_string(revision.share) + " % to " + revision.name;
  }
  return text;
}

}  // namespace

std::vector<std::string> summary_lines(const Status& status) {
  std::vector<std::vector<std::string>> rows;
  for (const ServiceStatus& service : status.services) {
    const bool is_one = service.revisions.empty();
    rows.push_back(
        summary_row(service.name, service, is_one ? reason_cell(service) : shares_text(service)));
    for (const ServiceStatus& revision : service.revisions) {
      rows.push_back(summary_row("  " + revision.name, revision, reason_cell(revision)));
    }
  }
  return report::table_lines({{"SERVICE"},
                              {"STATE"},
                              {"MODE"},
                              {"READY/DESIRED"},
                              {"STABLE", report::Align::kRight},
                              {"PANIC", report::Align::kRight},
                              {"TARGET", report::Align::kRight},
                              {"WAITING", report::Align::kRight},
                              {"REASON"}},
                             rows);
}

std::vector<std::string> change_lines(const Status& status) {
  std::vector<std::string> lines;
  for (const ChangeStatus& change : status.changes) {
    lines.push_back(change.cause + " of " + change.service + ": " + change.message +
                    (change.goes_back_if.empty() ? "" : "; rolls back if " + change.goes_back_if));
  }
  if (!lines.empty()) lines.insert(lines.begin(), "");
  return lines;
}

std::vector<std::string> machine_lines(const Status& status) {
  if (!status.machine) return {};
  const MachineStatus& machine = *status.machine;
  std::vector<std::string> amounts;
  if (machine.cpu && machine.cpu_requested)
    amounts.push_back("cpu " + to_string(*machine.cpu_requested) + " of " +
                      to_string(*machine.cpu));
  if (machine.memory && machine.memory_requested) {
    amounts.push_back("memory " + rounded_text(*machine.memory_requested) + " of " +
                      rounded_text(*machine.memory));
  }
  std::string text = "machine: replicas request " + joined(amounts);
  if (!machine.fits.empty()) text += "; there is room for " + joined(machine.fits);
  if (!machine.busiest.empty()) {
    text += "; room for the next replica of " + machine.busiest +
            (machine.is_room_kept ? " is kept" : " is missing");
  }
  if (!machine.sized_down.empty()) text += " (down for it: " + joined(machine.sized_down) + ")";
  std::vector<std::string> lines{"", text};
  for (const std::string& unmet : machine.unmet) lines.push_back("  " + unmet);
  if (!machine.note.empty()) lines.push_back("  " + machine.note);
  return lines;
}

namespace {

std::string wanted_text(const PolicyStatus& policy) {
  return policy.name + (policy.want ? " " + std::to_string(*policy.want) : " cannot say") +
         (policy.decides ? " (decides)" : "");
}

}  // namespace

std::vector<std::string> policy_lines(const Status& status) {
  std::vector<std::string> lines;
  for_each_revision(status, [&lines](const ServiceStatus& revision) {
    std::string line;
    for (const PolicyStatus& policy : revision.policies) {
      line += (line.empty() ? "" : ", ") + wanted_text(policy);
    }
    if (!line.empty()) lines.push_back("policies of " + revision.title() + ": " + line);
    if (revision.kept > 0) {
      lines.push_back("occupied in " + revision.title() + ": " + std::to_string(revision.occupied) +
                      ", of which no scale-down removes " + std::to_string(revision.kept));
    }
    for (const std::string& ahead : revision.ahead) {
      lines.push_back("ahead for " + revision.title() + ": " + ahead);
    }
  });
  if (!lines.empty()) lines.insert(lines.begin(), "");
  return lines;
}

std::vector<std::string> table_with_sizes(const Status& status) {
  std::vector<std::string> lines = cluster_lines(status);
  append_lines(lines, summary_lines(status));
  append_lines(lines, change_lines(status));
  append_lines(lines, policy_lines(status));
  append_lines(lines, refused_lines(status));
  append_lines(lines, machine_lines(status));
  if (const auto sizes = size_lines(status); !sizes.empty()) {
    lines.emplace_back();
    append_lines(lines, sizes);
  }
  return lines;
}

std::vector<std::string> wide_lines(const Status& status) {
  std::vector<std::string> lines = table_with_sizes(status);
  std::vector<std::vector<std::string>> rows;
  for (const ServiceStatus& service : status.services) {
    for (const ReplicaStatus& replica : service.replicas)
      rows.push_back(replica_row(service.name, replica));
  }
  if (rows.empty()) return lines;
  lines.emplace_back();
  append_lines(lines, report::table_lines({{"SERVICE"},
                                           {"REPLICA"},
                                           {"PHASE"},
                                           {"IN FLIGHT", report::Align::kRight},
                                           {"CPU", report::Align::kRight},
                                           {"MEMORY", report::Align::kRight},
                                           {"START", report::Align::kRight},
                                           {"RESTARTS", report::Align::kRight},
                                           {"ERROR"}},
                                          rows));
  return lines;
}

std::string one_line(const ServiceStatus& revision) {
  std::string line = revision.name + "  " + state_text(revision);
  if (revision.mode == "panic") line += " panic";
  line += "  " + replica_count(revision) + " replicas ready  " + number(load_now(revision)) +
          " in flight";
  if (revision.waiting > 0) line += "  " + number(revision.waiting) + " waiting";
  const std::string trouble = service_trouble(revision);
  if (!trouble.empty()) line += "  ERROR: " + trouble;
  return line;
}

void StatusHistory::add(const ServiceStatus& revision) {
  in_flight.push_back(load_now(revision));
  replicas.push_back(revision.ready);
  for (std::deque<double>* values : {&in_flight, &replicas}) {
    if (values->size() > kHistory) values->pop_front();
  }
}

std::vector<std::string> chart_lines(const StatusHistory& history, std::size_t width) {
  constexpr std::size_t kLabel = 12;
  constexpr std::size_t kLoadHeight = 5;
  constexpr std::size_t kReplicaHeight = 3;
  const std::size_t cells = width > kLabel + 10 ? width - kLabel : 10;
  std::vector<std::string> lines;
  const auto draw = [&](const std::deque<double>& values, std::size_t height,
                        const std::string& title) {
    const double peak = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    const double ceiling = nice_ceiling(peak);
    const auto chart = block_chart(values, cells, height, ceiling);
    for (std::size_t row = 0; row < height; ++row) {
      std::string label = row == 0 ? number(ceiling) : row + 1 == height ? title : "";
      label.insert(0, label.size() < kLabel - 2 ? kLabel - 2 - label.size() : 0, ' ');
      lines.push_back(label + " │" + chart[row]);
    }
  };
  draw(history.in_flight, kLoadHeight, "in flight");
  draw(history.replicas, kReplicaHeight, "replicas");
  return lines;
}

}  // namespace bellows::cli
