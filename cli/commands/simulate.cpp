// bellows simulate: policies side by side on a trace, in virtual time.
#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "base/timestamp_text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/simulate/jobs.hpp"
#include "cli/simulate/output.hpp"
#include "cli/simulate/search.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "cli/simulate/traffic_input.hpp"
#include "command/input.hpp"
#include "config/command_line.hpp"
#include "simulator/comparison.hpp"
#include "simulator/policy.hpp"
#include "simulator/simulation.hpp"
#include "simulator/suggestion.hpp"

namespace bellows::cli {
namespace {

using command::input_name;
using simulator::Comparison;
using simulator::Policy;
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

/// Returns a warm-up in whole seconds. Without it the first seconds of a trace, which starts at
/// zero, would dominate the table.
Duration default_warm_up(Duration length) {
  constexpr Duration kMost = std::chrono::minutes(5);
  return std::clamp<Duration>(std::chrono::floor<std::chrono::seconds>(length / 10),
                              Duration::zero(), kMost);
}

/// A workload, and what there is to say of the log that it is from.
struct Input {
  Workload workload;
  std::optional<simulator::LogTraffic> log{};
};

Result<Input> read_workload(const SimulateSettings& settings) {
  Input input;
  Workload& workload = input.workload;
  BELLOWS_TRY(workload.app, simulator::parse_app_model(settings.app));
  BELLOWS_TRY(TrafficInput traffic, read_traffic(settings));
  workload.traffic = std::move(traffic.traffic);
  input.log = std::move(traffic.log);
  if (settings.dispersion > 1 && workload.traffic.per_minute.empty()) {
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
  return input;
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
  std::vector<simulator::Outcome> outcomes = simulate_all(workload, profile, policies);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    suggestion.constants.push_back(
        {.idle_clock = policies[i].settings.rules.idle_clock, .outcome = std::move(outcomes[i])});
  }
  return suggestion;
}

/// Writes what the flags ask for beside the answer: table or JSON, constants, journal, page.
int run_comparison(const Invocation& invocation, const SimulateSettings& settings,
                   const Workload& workload, const std::vector<Policy>& policies,
                   bool is_answered) {
  JournalFile journal(settings.journal);
  const Comparison comparison = compare(settings, workload, policies, journal);
  if (settings.json) {
    std::cout << simulator::comparison_json(comparison);
  } else if (!is_answered) {
    print_comparison(comparison);
  }
  if (settings.suggest) {
    print_suggestion(suggest(workload, policies.front(), comparison.outcomes.front()));
  }
  if (const auto written = journal.close(); !written) {
    return report_failure(invocation, written.error());
  }
  if (settings.report.empty()) return kSuccess;
  const WallTime now = sys::system_clock().wall_now();
  config::Layer flags = invocation.arguments.flags();
  for (const std::string& file : invocation.arguments.positional) {
    flags.push_back(config::flag("trace", file));
  }
  const report::MadeBy made{
      .command = config::command_line_text(command::full_name(invocation), flags),
      .version = std::string(kVersion),
      .date = timestamp_text(now).substr(0, std::string_view("2026-01-01").size())};
  const auto written = write_report(settings.report, comparison, made);
  return written ? kSuccess : report_failure(invocation, written.error());
}

/// Reads the flags; the argument FILE is --trace.
config::Checked<SimulateSettings> read_settings(const command::Arguments& arguments) {
  auto settings =
      simulate_schema().apply({arguments.layers.front(), with_one_set(arguments.flags())});
  if (!settings) return settings;
  const auto problem = [](std::string_view culprit, std::string_view want) {
    return tl::unexpected(
        std::vector<Error>{{ErrorKind::kInvalidSetting, std::string(culprit), std::string(want)}});
  };
  const auto& files = arguments.positional;
  if (files.size() + (settings->trace.empty() ? 0 : 1) != 1) {
    return problem("FILE", files.empty() && settings->trace.empty()
                               ? "missing: want a trace or an access log, as here or as --trace"
                               : "want one, as the argument or as --trace");
  }
  if (!files.empty()) settings->trace = files.front();
  if (settings->json && settings->suggest) {
    return problem("suggest", "it prints a table: want it without --json");
  }
  return settings;
}

}  // namespace

int simulate(const Invocation& invocation) {
  const auto settings = read_settings(invocation.arguments);
  if (!settings) return usage_error(invocation, settings.error());
  const bool is_search = settings->policy.empty();
  const auto read_policies = [&](std::string_view list) {
    return simulator::read_policies(list, settings->set, [](const std::string& path) {
      return sys::read_whole_file(path, "parameters");
    });
  };
  auto policies = read_policies(is_search ? kSearchedPolicy : settings->policy);
  if (!policies) return usage_error(invocation, policies.error());
  const auto input = read_workload(*settings);
  if (!input && input.error().kind() == ErrorKind::kInvalidSetting) {
    return usage_error(invocation, input.error());
  }
  if (!input) return report_failure(invocation, input.error());
  const Workload& workload = input->workload;
  const bool is_answered = input->log && is_search;
  if (is_search && !is_answered) policies = read_policies(kUsualPolicies);
  if (!policies) return usage_error(invocation, policies.error());
  const auto not_simulated = simulator::not_simulated(*policies, workload.app);
  if (!not_simulated.empty()) return usage_error(invocation, not_simulated);
  for (const auto& writable : {check_writable(settings->report, "the report"),
                               check_writable(settings->journal, "the journal")}) {
    if (!writable) return report_failure(invocation, writable.error());
  }
  if (is_answered) {
    const SearchResult found = search_settings(workload, policies->front(), settings->set);
    if (!settings->json) print_what_if(*settings, workload, *input->log, found.tried);
    policies = found.best_and_always_on;
  }
  const bool is_more_asked = settings->json || settings->suggest || !settings->report.empty() ||
                             !settings->journal.empty();
  if (is_answered && !is_more_asked) return kSuccess;
  return run_comparison(invocation, *settings, workload, *policies, is_answered);
}

}  // namespace bellows::cli
