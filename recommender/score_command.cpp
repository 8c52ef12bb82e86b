// recommender score: compares policies on workloads, as a table, as JSON and as a page.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "base/text_parts.hpp"
#include "base/timestamp_text.hpp"
#include "base/version.hpp"
#include "command/input.hpp"
#include "config/command_line.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/commands.hpp"
#include "recommender/score/comparison.hpp"
#include "recommender/score/generator.hpp"
#include "recommender/score/score_report.hpp"
#include "recommender/score/score_text.hpp"
#include "recommender/score/trace_csv.hpp"
#include "recommender/score_settings.hpp"

namespace bellows::recommender {

namespace {

using namespace std::chrono_literals;

/// Returns true for a file: the names of synthetic workloads have neither a dot nor a slash.
bool is_file(std::string_view trace) {
  return trace == command::kStandardInput || trace.find('.') != std::string_view::npos ||
         trace.find('/') != std::string_view::npos;
}

Result<std::vector<score::Workload>> read_workloads(const std::string& trace, std::uint64_t seed) {
  std::vector<score::Workload> workloads;
  if (is_file(trace)) {
    BELLOWS_TRY(const std::string text, command::read_input(trace, "the trace"));
    return score::read_trace(command::input_name(trace), text);
  }
  const auto names = trace == "all" ? score::workload_names() : std::vector{trace};
  for (const std::string& name : names) {
    BELLOWS_TRY(score::Workload workload, score::generate(name, seed));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

/// The inputs of a comparison.
struct Experiment {
  std::vector<score::Workload> workloads;
  std::vector<score::Contender> contenders;
};

Result<Experiment> read_experiment(const ScoreSettings& settings,
                                   const config::Layer& policy_flags) {
  Experiment experiment;
  for (const std::string_view policy : split(settings.policy, ',')) {
    BELLOWS_TRY(score::Contender contender, score::parse_contender(policy, policy_flags));
    experiment.contenders.push_back(std::move(contender));
  }
  const std::vector<std::string_view> traces = split(settings.trace, ',');
  if (std::ranges::count(traces, command::kStandardInput) > 1) {
    return fail(ErrorKind::kInvalidSetting, "trace", "want \"-\" at most once");
  }
  for (const std::string_view trace : traces) {
    BELLOWS_TRY(auto more,
                read_workloads(std::string(trace), static_cast<std::uint64_t>(settings.seed)));
    for (score::Workload& workload : more) experiment.workloads.push_back(std::move(workload));
  }
  return experiment;
}

/// Prints the progress to standard error every two seconds.
class Progress {
 public:
  void operator()(std::size_t done, std::size_t all) {
    const TimePoint now = sys::system_clock().now();
    if (now - printed_ < 2s || done == all) return;
    printed_ = now;
    std::cerr << "recommender score: " << done << " of " << all << " replays done\n";
  }

 private:
  TimePoint printed_ = sys::system_clock().now();
};

/// Reports an unreadable trace: an unknown workload is a usage error, a missing file is a failure.
int report_unreadable(const Invocation& invocation, const Error& error) {
  const bool is_file_missing =
      error.kind() == ErrorKind::kNotFound && !error.culprit().starts_with("trace ");
  const bool is_failure = is_file_missing || error.kind() == ErrorKind::kSystem;
  return is_failure ? report_failure(invocation, error) : usage_error(invocation, error);
}

Result<void> write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) return fail(ErrorKind::kSystem, file, "cannot be written");
  return {};
}

bool is_policy_setting(const config::Entry& entry) {
  return config::find(score_schema().declarations(), entry.key) == nullptr &&
         config::find(config::recommender_schema().declarations(), entry.key) != nullptr;
}

}  // namespace

int run_score(const Invocation& invocation) {
  config::Layer own;
  config::Layer of_policies;
  for (const config::Entry& entry : invocation.arguments.flags()) {
    (is_policy_setting(entry) ? of_policies : own).push_back(entry);
  }
  const auto settings = score_schema().apply({own});
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty())
    return usage_error(invocation, "want flags only, such as --trace FILE");
  const auto experiment = read_experiment(*settings, of_policies);
  if (!experiment) return report_unreadable(invocation, experiment.error());
  Progress progress;
  score::Comparison comparison = score::compare(experiment->workloads, experiment->contenders,
                                                settings->world(), std::ref(progress));
  comparison.seed = static_cast<std::uint64_t>(settings->seed);
  std::cout << (settings->json ? score::score_json(comparison) : score::score_table(comparison));
  if (settings->report.empty()) return kSuccess;
  const WallTime now = sys::system_clock().wall_now();
  const report::MadeBy made{
      .command =
          config::command_line_text(command::full_name(invocation), invocation.arguments.flags()),
      .version = kVersion,
      .date = timestamp_text(now).substr(0, std::string_view("2026-01-01").size())};
  const auto written = write_file(settings->report, score::score_report(comparison, made));
  return written ? kSuccess : report_failure(invocation, written.error());
}

}  // namespace bellows::recommender
