#include "recommender/score_command.hpp"

#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "recommender/score/comparison.hpp"
#include "recommender/score/generator.hpp"
#include "recommender/score/score_report.hpp"
#include "recommender/score/score_text.hpp"
#include "recommender/score/trace_csv.hpp"
#include "recommender/score_settings.hpp"

namespace bellows::recommender {

namespace {

using namespace std::chrono_literals;

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsage = 2;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.emplace_back(text);
  return parts;
}

bool is_file(std::string_view trace) {
  return trace.find('.') != std::string_view::npos || trace.find('/') != std::string_view::npos;
}

Result<std::string> read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorKind::kNotFound, file, "cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<std::vector<score::Workload>> workloads_of(const std::string& trace, std::uint64_t seed) {
  std::vector<score::Workload> workloads;
  if (is_file(trace)) {
    BELLOWS_TRY(const std::string text, read_file(trace));
    return score::read_trace(trace, text);
  }
  const auto names = trace == "all" ? score::workload_names() : std::vector{trace};
  for (const std::string& name : names) {
    BELLOWS_TRY(score::Workload workload, score::generate(name, seed));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

struct Task {
  std::vector<score::Workload> workloads;
  std::vector<score::Contender> contenders;
};

Result<Task> task_of(const ScoreSettings& settings, const config::Layer& policy_flags) {
  Task task;
  for (const std::string& policy : split(settings.policy)) {
    BELLOWS_TRY(score::Contender contender, score::parse_contender(policy, policy_flags));
    task.contenders.push_back(std::move(contender));
  }
  for (const std::string& trace : split(settings.trace)) {
    BELLOWS_TRY(auto more, workloads_of(trace, static_cast<std::uint64_t>(settings.seed)));
    for (score::Workload& workload : more) task.workloads.push_back(std::move(workload));
  }
  return task;
}

/// One line on standard error every two seconds.
class Progress {
 public:
  void operator()(std::size_t done, std::size_t all) {
    const TimePoint now = sys::system_clock().now();
    if (now - told_ < 2s || done == all) return;
    told_ = now;
    std::cerr << "recommender score: " << done << " of " << all << " replays done\n";
  }

 private:
  TimePoint told_ = sys::system_clock().now();
};

int exit_code(const Error& error) {
  std::cerr << "recommender: " << to_string(error) << "\n";
  // A trace that is no file and no name is a problem of who asks.
  const bool is_file_missing =
      error.kind() == ErrorKind::kNotFound && !error.culprit().starts_with("trace ");
  return is_file_missing || error.kind() == ErrorKind::kSystem ? kFailure : kUsage;
}

Result<void> write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) return fail(ErrorKind::kSystem, file, "cannot be written");
  return {};
}

}  // namespace

const std::vector<config::Declaration>& score_declarations() {
  static const std::vector<config::Declaration> all = [] {
    auto declarations = score_schema().declarations();
    for (const config::Declaration& policy : config::recommender_schema().declarations()) {
      if (policy.name != "policy") declarations.push_back(policy);
    }
    return declarations;
  }();
  return all;
}

int run_score(const config::Layer& flags) {
  config::Layer own;
  config::Layer of_policies;
  for (const config::Entry& entry : flags) {
    const bool is_policy_setting =
        config::find(score_schema().declarations(), entry.key) == nullptr &&
        config::find(config::recommender_schema().declarations(), entry.key) != nullptr;
    (is_policy_setting ? of_policies : own).push_back(entry);
  }
  const auto settings = score_schema().apply({own});
  if (!settings) {
    std::cerr << config::problems_text(settings.error(), "recommender score");
    return kUsage;
  }
  const auto task = task_of(*settings, of_policies);
  if (!task) return exit_code(task.error());
  Progress progress;
  score::Comparison comparison =
      score::compare(task->workloads, task->contenders, settings->world(), std::ref(progress));
  comparison.seed = static_cast<std::uint64_t>(settings->seed);
  std::cout << (settings->json ? score::score_json(comparison) : score::score_table(comparison));
  if (settings->report.empty()) return kSuccess;
  const auto written = write_file(settings->report, score::score_report(comparison));
  return written ? kSuccess : exit_code(written.error());
}

}  // namespace bellows::recommender
