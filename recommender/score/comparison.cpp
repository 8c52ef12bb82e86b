#include "recommender/score/comparison.hpp"

#include <algorithm>

#include "base/text_parts.hpp"
#include "config/help.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/score/oracle.hpp"
#include "recommender/score/sizers.hpp"

namespace bellows::recommender::score {

namespace {

constexpr std::size_t kIntervals = 480;

/// Returns the setting that `key` names, with the policy's name as prefix if it is missing.
std::string full_name(std::string_view policy, std::string_view key) {
  const auto& declarations = config::recommender_schema().declarations();
  const std::string longer = std::string(policy) + "-" + std::string(key);
  const bool is_short =
      config::find(declarations, key) == nullptr && config::find(declarations, longer) != nullptr;
  return is_short ? longer : std::string(key);
}

void add_interval(PlotData::Curves& curves, const Timeline& timeline, std::size_t begin,
                  std::size_t end, double Demand::*part, double unit) {
  double max = 0;
  for (std::size_t step = begin; step < end; ++step) {
    max = std::max(max, timeline.steps[step].used.*part / unit);
  }
  curves.used.push_back(max);
  curves.request.push_back(timeline.steps[end - 1].request.*part / unit);
  curves.limit.push_back(timeline.steps[end - 1].limit.*part / unit);
}

PlotData plot_data_of(const Timeline& timeline) {
  PlotData plot_data;
  const std::size_t count = timeline.steps.size();
  const std::size_t width = std::max<std::size_t>(1, (count + kIntervals - 1) / kIntervals);
  plot_data.interval = static_cast<Duration::rep>(width) * timeline.step;
  for (std::size_t begin = 0; begin < count; begin += width) {
    const std::size_t end = std::min(count, begin + width);
    add_interval(plot_data.cpu, timeline, begin, end, &Demand::cpu_cores, 1);
    add_interval(plot_data.memory, timeline, begin, end, &Demand::memory_bytes, kGiB);
  }
  for (const Death& death : timeline.deaths) {
    if (!death.is_oom) continue;
    const auto interval = static_cast<std::size_t>(death.at / plot_data.interval);
    if (plot_data.ooms.empty() || plot_data.ooms.back() != interval)
      plot_data.ooms.push_back(interval);
  }
  return plot_data;
}

PolicyResult entry_of(const Contender& contender, const Workload& workload,
                      const SimulationSettings& world) {
  PolicySizer sizer(make_policy(contender.settings));
  const Timeline timeline = simulate(workload, sizer, world);
  PolicyResult entry{.policy = contender.name,
                     .score = score(workload, timeline),
                     .plot_data = plot_data_of(timeline)};
  entry.cost = cost(entry.score);
  return entry;
}

void mark_front(std::vector<PolicyResult>& entries) {
  for (PolicyResult& entry : entries) {
    entry.is_on_front = std::none_of(
        entries.begin(), entries.end(),
        [&](const PolicyResult& other) { return dominates(other.score, entry.score); });
  }
}

/// Adds scores; costs and regrets are means, so that no workload weighs more than another.
std::vector<PolicyResult> total_of(const std::vector<WorkloadResult>& results) {
  std::vector<PolicyResult> total;
  const auto count = static_cast<double>(results.size());
  for (std::size_t i = 0; !results.empty() && i < results.front().entries.size(); ++i) {
    PolicyResult sum{.policy = results.front().entries[i].policy};
    for (const WorkloadResult& outcome : results) {
      const PolicyResult& entry = outcome.entries[i];
      sum.score.add(entry.score);
      sum.cost += entry.cost / count;
      sum.regret_next += entry.regret_next / count;
      sum.regret_constant += entry.regret_constant / count;
    }
    total.push_back(std::move(sum));
  }
  mark_front(total);
  return total;
}

}  // namespace

Result<Contender> parse_contender(std::string_view text, const config::Layer& flags) {
  const auto parts = split(text, ':');
  config::Layer layer{config::flag("policy", std::string(parts.front()))};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      return fail(ErrorKind::kInvalidSetting, "--policy " + std::string(text),
                  "\"" + std::string(parts[i]) + "\": want SETTING=VALUE behind the colon");
    }
    layer.push_back(config::flag(full_name(parts.front(), parts[i].substr(0, equals)),
                                 std::string(parts[i].substr(equals + 1))));
  }
  auto settings = config::recommender_schema().apply({flags, layer});
  if (!settings) {
    const Error& problem = settings.error().front();
    return fail(ErrorKind::kInvalidSetting, "--policy " + std::string(text), to_string(problem));
  }
  WorkloadSettings workload;
  workload.settings = *std::move(settings);
  return Contender{std::string(text),
                   std::make_shared<const WorkloadSettings>(std::move(workload))};
}

Comparison compare(const std::vector<Workload>& workloads, const std::vector<Contender>& contenders,
                   const SimulationSettings& world,
                   const std::function<void(std::size_t, std::size_t)>& progress) {
  Comparison comparison{.world = world};
  std::size_t done = 0;
  for (const Workload& workload : workloads) {
    WorkloadResult outcome{
        .workload = workload.name, .about = workload.about, .length = workload.length()};
    outcome.next_window = score(workload, perfect_next_window(workload, world));
    outcome.constant = score(workload, best_constant(workload, world));
    for (const Contender& contender : contenders) {
      PolicyResult entry = entry_of(contender, workload, world);
      entry.regret_next = entry.cost - cost(outcome.next_window, kOraclePrices);
      entry.regret_constant = entry.cost - cost(outcome.constant, kOraclePrices);
      outcome.entries.push_back(std::move(entry));
      progress(++done, workloads.size() * contenders.size());
    }
    mark_front(outcome.entries);
    comparison.results.push_back(std::move(outcome));
  }
  comparison.total = total_of(comparison.results);
  return comparison;
}

}  // namespace bellows::recommender::score
