// bellows simulate: policies side by side on a trace, in virtual time.
#include <algorithm>
#include <iostream>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "base/timestamp_text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/simulate/jobs.hpp"
#include "cli/simulate/output.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "command/input.hpp"
#include "config/command_line.hpp"
#include "simulator/comparison.hpp"
#include "simulator/policy.hpp"
#include "simulator/simulation.hpp"
#include "simulator/suggestion.hpp"
#include "simulator/trace_format.hpp"

namespace bellows::cli {
namespace {

using command::input_name;
using command::read_input;
using simulator::Comparison;
using simulator::Policy;
using simulator::TraceFormat;
using simulator::Workload;

/// Joins several --set, so that users may place each setting where it is clearest.
config::Layer with_one_set(const config::Layer& flags) {
  config::Layer joined;
  config::Entry* set = nullptr;
  joined.reserve(flags.size());
  for (const config::Entry& flag : flags) {
    const bool is_set = flag.key == "set" && flag.problem.empty();
    if (is_set && set != nullptr) {
      set->value += "," + flag.value;
      continue;
    }
    joined.push_back(flag);
    if (is_set) set = &joined.back();
  }
  return joined;
}

Result<TraceFormat> trace_format_of(const SimulateSettings& settings, std::string_view text) {
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
  // An empty trace: the reader of any format reports that it has no requests.
  if (text.find_first_not_of("\r\n") == std::string_view::npos) return TraceFormat::kMinutes;
  return fail(ErrorKind::kInvalidSetting, input_name(settings.trace),
              "its first line matches no format: want --format minutes, events, azure2019 or "
              "azure2021");
}

Result<simulator::Traffic> read_traffic(const SimulateSettings& settings) {
  if (settings.trace == command::kStandardInput && settings.durations == settings.trace) {
    return fail(ErrorKind::kInvalidSetting, "durations",
                "\"-\": --trace already reads standard input: want a file");
  }
  BELLOWS_TRY(const std::string text, read_input(settings.trace, "the trace"));
  BELLOWS_TRY(const TraceFormat format, trace_format_of(settings, text));
  simulator::TraceChoice choice{.format = format, .function = settings.function};
  const std::string trace_name = input_name(settings.trace);
  const std::string durations_name = input_name(settings.durations);
  std::string durations;
  if (!settings.durations.empty()) {
    BELLOWS_TRY(durations, read_input(settings.durations, "the durations"));
    choice.durations = {.file = durations_name, .text = durations};
  }
  return simulator::read_trace({.file = trace_name, .text = text}, choice);
}

/// Returns a warm-up in whole seconds. Without it the first seconds of a trace, which starts at
/// zero, would dominate the table.
Duration default_warm_up(Duration length) {
  constexpr Duration kMost = std::chrono::minutes(5);
  return std::clamp<Duration>(std::chrono::floor<std::chrono::seconds>(length / 10),
                              Duration::zero(), kMost);
}

Result<Workload> read_workload(const SimulateSettings& settings) {
  Workload workload;
  BELLOWS_TRY(workload.app, simulator::parse_app_model(settings.app));
  BELLOWS_TRY(workload.traffic, read_traffic(settings));
  if (settings.dispersion > 1 && !workload.traffic.events.empty()) {
    return fail(ErrorKind::kInvalidSetting, "dispersion",
                "the trace has the time of each request: want counts per minute, or 1");
  }
  BELLOWS_CHECKED(simulator::check_scale(workload.traffic, settings.scale));
  const Duration end = std::min(settings.to.value_or(Duration::max()), workload.traffic.length);
  const Duration warm_up = settings.warm_up.value_or(default_warm_up(end - settings.from));
  if (settings.from + warm_up >= end) {
    return fail(ErrorKind::kInvalidSetting, "from",
                duration_text(settings.from) + " and a warm-up of " + duration_text(warm_up) +
                    ": nothing remains before the end at " + duration_text(end));
  }
  workload.options = {
      .scale = settings.scale, .dispersion = settings.dispersion, .from = settings.from, .to = end};
  workload.seed = static_cast<std::uint64_t>(settings.seed);
  workload.warm_up = warm_up;
  return workload;
}

simulator::LoadProfile profile_with_progress(const Workload& workload) {
  simulator::LoadProfile profile;
  run_jobs({{"load", [&](const simulator::Progress& progress) {
               profile = simulator::profile_load(workload, progress);
             }}});
  return profile;
}

/// Writes the first policy's decisions to `journal`.
Comparison compare(const SimulateSettings& settings, const Workload& workload,
                   const std::vector<Policy>& policies, JournalFile& journal) {
  const simulator::LoadProfile profile = profile_with_progress(workload);
  const simulator::Demand demand(profile, workload.app, policies.front().settings);
  Comparison comparison{.trace = input_name(settings.trace),
                        .app = app_text(workload),
                        .seed = workload.seed,
                        .begin = settings.from + workload.warm_up,
                        .warm_up = workload.warm_up,
                        .scale = settings.scale,
                        .dispersion = settings.dispersion,
                        .slots = demand.size(),
                        .full_by = demand.full_by(),
                        .requests = profile.requests,
                        .mean_load = profile.mean_load(),
                        .max_load = profile.in_service.max,
                        .outcomes = {},
                        .oracle = {}};
  comparison.outcomes.resize(policies.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    jobs.push_back({policies[i].name, [&, i](const simulator::Progress& progress) {
                      simulator::DecisionSink sink;
                      if (i == 0) sink = journal.sink(policies[i].settings);
                      comparison.outcomes[i] = simulator::simulate(
                          workload, profile, policies[i].settings, progress, std::move(sink));
                      comparison.outcomes[i].policy = policies[i].name;
                    }});
  }
  jobs.push_back({"oracle", [&](const simulator::Progress& progress) {
                    comparison.oracle = simulator::simulate_oracle(
                        workload, profile, policies.front().settings, progress);
                    comparison.oracle.policy = "oracle";
                  }});
  run_jobs(jobs);
  return comparison;
}

/// Compares constant keep-alives with the first policy on the same traffic.
simulator::Suggestion suggest(const Workload& workload, const Policy& policy,
                              const simulator::Outcome& learned) {
  const simulator::LoadProfile profile = profile_with_progress(workload);
  const std::vector<Policy> policies = simulator::constants_of(policy);
  simulator::Suggestion suggestion{.cold_start_worth = policy.settings.rules.cold_start_worth,
                                   .constants = {},
                                   .learned = learned};
  suggestion.constants.resize(policies.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    jobs.push_back({policies[i].name, [&, i](const simulator::Progress& progress) {
                      const config::RevisionSettings& settings = policies[i].settings;
                      suggestion.constants[i] = {
                          .idle_clock = settings.rules.idle_clock,
                          .outcome = simulator::simulate(workload, profile, settings, progress)};
                    }});
  }
  run_jobs(jobs);
  return suggestion;
}

report::MadeBy made_by(const Invocation& invocation) {
  const WallTime now = sys::system_clock().wall_now();
  return {.command = config::command_line_text(command::full_name(invocation),
                                               invocation.arguments.flags()),
          .version = std::string(kVersion),
          .date = timestamp_text(now).substr(0, std::string_view("2026-01-01").size())};
}

}  // namespace

int simulate(const Invocation& invocation) {
  const command::Arguments& arguments = invocation.arguments;
  const auto settings =
      simulate_schema().apply({arguments.layers.front(), with_one_set(arguments.flags())});
  if (!settings) return usage_error(invocation, settings.error());
  if (!arguments.positional.empty())
    return usage_error(invocation, "want flags only, such as --trace FILE");
  if (settings->json && settings->suggest) {
    return usage_error(invocation, "--suggest prints a table: want it without --json");
  }
  const auto policies = simulator::read_policies(
      settings->policy, settings->set,
      [](const std::string& path) { return sys::read_whole_file(path, "parameters"); });
  if (!policies) return usage_error(invocation, policies.error());
  const auto workload = read_workload(*settings);
  if (!workload && workload.error().kind() == ErrorKind::kInvalidSetting) {
    return usage_error(invocation, workload.error());
  }
  if (!workload) return report_failure(invocation, workload.error());
  const auto not_simulated = simulator::not_simulated(*policies, workload->app);
  if (!not_simulated.empty()) return usage_error(invocation, not_simulated);
  for (const auto& writable : {check_writable(settings->report, "the report"),
                               check_writable(settings->journal, "the journal")}) {
    if (!writable) return report_failure(invocation, writable.error());
  }

  JournalFile journal(settings->journal);
  const Comparison comparison = compare(*settings, *workload, *policies, journal);
  if (settings->json) {
    std::cout << simulator::comparison_json(comparison);
  } else {
    print_comparison(comparison);
  }
  if (settings->suggest) {
    print_suggestion(suggest(*workload, policies->front(), comparison.outcomes.front()));
  }
  if (const auto written = journal.close(); !written) {
    return report_failure(invocation, written.error());
  }
  if (settings->report.empty()) return kSuccess;
  const auto written = write_report(settings->report, comparison, made_by(invocation));
  return written ? kSuccess : report_failure(invocation, written.error());
}

}  // namespace bellows::cli
