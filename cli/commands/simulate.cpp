// bellows simulate: policies side by side on a trace, in virtual time.
#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/duration_text.hpp"
#include "cli/command.hpp"
#include "cli/screen/table.hpp"
#include "cli/simulate/jobs.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "cli/usage.hpp"
#include "simulator/comparison.hpp"
#include "simulator/policy.hpp"
#include "simulator/report.hpp"
#include "simulator/simulation.hpp"
#include "simulator/trace_format.hpp"

namespace bellows::cli {
namespace {

using simulator::Comparison;
using simulator::Policy;
using simulator::TraceFormat;
using simulator::Workload;

/// `what` is in it: "the trace".
Result<std::string> contents(const std::string& file, const std::string& what) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(system_error(file, "cannot open " + what, errno));
  std::string text;
  std::array<char, 64 * 1024> part{};
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return fail(system_error(file, "cannot read " + what, errno));
  return text;
}

/// Several --set become one, so that each setting may stand where it is clearest.
Arguments with_one_set(const Arguments& arguments) {
  Arguments joined = arguments;
  joined.flags.clear();
  std::string sets;
  for (std::size_t i = 0; i < arguments.flags.size(); ++i) {
    const std::string& flag = arguments.flags[i];
    const bool has_value = flag.starts_with("--set=");
    const bool is_set = has_value || (flag == "--set" && i + 1 < arguments.flags.size());
    if (!is_set) {
      joined.flags.push_back(flag);
      continue;
    }
    const std::string value = has_value ? flag.substr(6) : arguments.flags[++i];
    sets += (sets.empty() ? "" : ",") + value;
  }
  if (!sets.empty()) joined.flags.push_back("--set=" + sets);
  return joined;
}

Result<TraceFormat> format_of(const SimulateSettings& settings, std::string_view text) {
  switch (settings.format) {
    case FormatChoice::kMinutes:
      return TraceFormat::kMinutes;
    case FormatChoice::kEvents:
      return TraceFormat::kEvents;
    case FormatChoice::kAzure2019:
      return TraceFormat::kAzure2019;
    case FormatChoice::kAzure2021:
      return TraceFormat::kAzure2021;
    case FormatChoice::kAuto:
      break;
  }
  if (const auto format = simulator::detect_format(text)) return *format;
  // A format reads it to the end and says that nothing is there.
  if (text.find_first_not_of("\r\n") == std::string_view::npos) return TraceFormat::kMinutes;
  return fail(ErrorKind::kInvalidSetting, settings.trace,
              "its first line fits no format: want --format minutes, events, azure2019 or "
              "azure2021");
}

Result<simulator::Traffic> read_traffic(const SimulateSettings& settings) {
  BELLOWS_TRY(const std::string text, contents(settings.trace, "the trace"));
  BELLOWS_TRY(const TraceFormat format, format_of(settings, text));
  simulator::TraceChoice choice{.format = format, .function = settings.function};
  std::string durations;
  if (!settings.durations.empty()) {
    BELLOWS_TRY(durations, contents(settings.durations, "the durations"));
    choice.durations = {.file = settings.durations, .text = durations};
  }
  return simulator::read_trace({.file = settings.trace, .text = text}, choice);
}

Result<Workload> read_workload(const SimulateSettings& settings) {
  Workload workload;
  BELLOWS_TRY(workload.app, simulator::parse_app_model(settings.app));
  BELLOWS_TRY(workload.traffic, read_traffic(settings));
  if (settings.dispersion > 1 && !workload.traffic.events.empty()) {
    return fail(ErrorKind::kInvalidSetting, "dispersion",
                "the trace tells when each request came: want counts per minute, or 1");
  }
  BELLOWS_CHECKED(simulator::check_scale(workload.traffic, settings.scale));
  const Duration end = std::min(settings.to.value_or(Duration::max()), workload.traffic.length);
  if (settings.from + settings.warm_up >= end) {
    return fail(ErrorKind::kInvalidSetting, "from",
                duration_text(settings.from) + " and a warm-up of " +
                    duration_text(settings.warm_up) + ": nothing is left before the end at " +
                    duration_text(end));
  }
  workload.options = {
      .scale = settings.scale, .dispersion = settings.dispersion, .from = settings.from, .to = end};
  workload.seed = static_cast<std::uint64_t>(settings.seed);
  workload.warm_up = settings.warm_up;
  return workload;
}

simulator::Survey survey_with_progress(const Workload& workload) {
  simulator::Survey limits;
  run_jobs({{"load", [&](const simulator::Progress& progress) {
               limits = simulator::survey(workload, progress);
             }}});
  return limits;
}

Comparison compare(const SimulateSettings& settings, const Workload& workload,
                   const std::vector<Policy>& policies) {
  const simulator::Survey limits = survey_with_progress(workload);
  const simulator::Demand demand(limits, workload.app, policies.front().settings);
  Comparison comparison{.trace = settings.trace,
                        .app = app_text(workload),
                        .seed = workload.seed,
                        .begin = settings.from + workload.warm_up,
                        .scale = settings.scale,
                        .dispersion = settings.dispersion,
                        .slots = demand.size(),
                        .full_by = demand.full_by(),
                        .requests = limits.requests,
                        .mean_load = limits.mean_load(),
                        .max_load = limits.in_service.max,
                        .outcomes = {},
                        .oracle = {}};
  comparison.outcomes.resize(policies.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    jobs.push_back({policies[i].name, [&, i](const simulator::Progress& progress) {
                      comparison.outcomes[i] =
                          simulator::simulate(workload, limits, policies[i].settings, progress);
                      comparison.outcomes[i].policy = policies[i].name;
                    }});
  }
  jobs.push_back({"oracle", [&](const simulator::Progress& progress) {
                    comparison.oracle = simulator::simulate_oracle(
                        workload, limits, policies.front().settings, progress);
                    comparison.oracle.policy = "oracle";
                  }});
  run_jobs(jobs);
  return comparison;
}

void print_table(const Comparison& comparison) {
  std::cout << comparison.trace << ": "
            << simulator::grouped(static_cast<double>(comparison.requests)) << " requests in "
            << simulator::grouped(to_seconds(comparison.oracle.length))
            << " s, in service on average " << simulator::load_text(comparison.mean_load)
            << ", at most " << comparison.max_load << "; "
            << simulator::room_text(comparison.full_by, comparison.slots) << "; app "
            << comparison.app << "\n\n";
  auto rows = simulator::comparison_rows(comparison);
  const std::vector<std::string> titles = std::move(rows.front());  // the columns only view them
  rows.erase(rows.begin());
  std::vector<Column> columns;
  for (const std::string& title : titles) {
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  }
  for (const std::string& line : table_lines(columns, rows)) std::cout << line << "\n";
}

Error no_report(const std::string& file) {
  return system_error(file, "cannot write the report", errno);
}

/// Before anything is simulated: a mistyped folder is told at once.
Result<void> check_report(const std::string& file) {
  errno = 0;
  if (file.empty() || std::ofstream(file, std::ios::binary | std::ios::app)) return {};
  return fail(no_report(file));
}

Result<void> write_report(const std::string& file, const Comparison& comparison) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << simulator::report_html(comparison);
  out.flush();
  if (out) return {};
  return fail(no_report(file));
}

}  // namespace

int simulate(const Command& command, const Arguments& arguments) {
  const auto layers = read_layers(command, with_one_set(arguments));
  if (!layers) return kSuccess;
  const auto settings = simulate_schema().apply(*layers);
  if (!settings) return complain(command, settings.error());
  if (!arguments.words.empty()) return complain(command, "want flags only, such as --trace FILE");
  const auto policies = simulator::read_policies(settings->policy, settings->set);
  if (!policies) return complain(command, policies.error());
  const auto workload = read_workload(*settings);
  if (!workload && workload.error().kind() == ErrorKind::kInvalidSetting) {
    return complain(command, {workload.error()});
  }
  if (!workload) return give_up(command, workload.error());
  const auto not_simulated = simulator::not_simulated(*policies, workload->app);
  if (!not_simulated.empty()) return complain(command, not_simulated);
  const auto has_room = check_report(settings->report);
  if (!has_room) return give_up(command, has_room.error());

  const Comparison comparison = compare(*settings, *workload, *policies);
  if (settings->json) {
    std::cout << simulator::comparison_json(comparison);
  } else {
    print_table(comparison);
  }
  if (settings->report.empty()) return kSuccess;
  const auto written = write_report(settings->report, comparison);
  return written ? kSuccess : give_up(command, written.error());
}

}  // namespace bellows::cli
