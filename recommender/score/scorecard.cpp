#include "recommender/score/scorecard.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr double kSecondsPerHour = 3600;
constexpr double kSettledWithin = 0.1;

using Part = double Demand::*;

void add_step(ResourceScore& resource, const Step& state, Part part, double hours, double unit) {
  const double request = state.request.*part / unit;
  const double used = state.used.*part / unit;
  resource.requested += request * hours;
  resource.used += used * hours;
  resource.slack += std::max(0., request - used) * hours;
  resource.deficit += std::max(0., used - request) * hours;
  resource.hours += hours;
  if (used > request) resource.under_hours += hours;
}

bool is_near(double value, double settled) {
  return std::abs(value - settled) <= kSettledWithin * settled;
}

/// Returns the settling time for the demand change at `begin`; the plateau ends at `end`.
std::optional<Duration> settles(const Timeline& timeline, Part part, std::size_t begin,
                                std::size_t end) {
  const double before = timeline.steps[begin].request.*part;
  const double settled = timeline.steps[end - 1].request.*part;
  if (is_near(before, settled)) return std::nullopt;
  std::size_t at = end;
  while (at > begin && is_near(timeline.steps[at - 1].request.*part, settled)) --at;
  return static_cast<Duration::rep>(at - begin) * timeline.step;
}

void keep_greater(std::optional<Duration>& kept, std::optional<Duration> other) {
  if (other && (!kept || *kept < *other)) kept = other;
}

void measure_convergence(const Workload& workload, const Timeline& timeline, Part part,
                         ResourceScore& resource) {
  for (std::size_t i = 0; i < workload.demand_changes.size(); ++i) {
    const bool is_last = i + 1 == workload.demand_changes.size();
    const std::size_t end = is_last ? timeline.steps.size() : workload.demand_changes[i + 1].at;
    const auto duration = settles(timeline, part, workload.demand_changes[i].at, end);
    keep_greater(workload.demand_changes[i].is_up ? resource.settles_up : resource.settles_down,
                 duration);
  }
}

void measure_extremes(const Workload& workload, const Timeline& timeline, Part part, double unit,
                      ResourceScore& resource) {
  const auto demands = undisturbed_demand(workload);
  for (std::size_t step = 0; step < demands.size(); ++step) {
    if (!timeline.steps[step].is_scheduled) continue;
    resource.max_demand = std::max(resource.max_demand, demands[step].*part / unit);
    resource.max_request =
        std::max(resource.max_request, timeline.steps[step].request.*part / unit);
  }
}

/// Returns the percentile by nearest rank.
double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

void measure_throttle(const Timeline& timeline, Score& result) {
  std::vector<double> minutes;
  double wanted = 0;
  double throttled = 0;
  const double hours = to_seconds(timeline.step) / kSecondsPerHour;
  for (std::size_t step = 0; step < timeline.steps.size(); ++step) {
    const Step& state = timeline.steps[step];
    const double work = state.demand.cpu_cores * state.alive * hours;
    const double above =
        std::max(0., state.demand.cpu_cores - state.limit.cpu_cores) * state.alive * hours;
    wanted += work;
    throttled += above;
    result.wanted_work += work;
    result.throttled_work += above;
    const Duration end = static_cast<Duration::rep>(step + 1) * timeline.step;
    if (end % 1min >= timeline.step && step + 1 < timeline.steps.size()) continue;
    if (wanted > 0) minutes.push_back(throttled / wanted);
    wanted = throttled = 0;
  }
  result.throttle_p99 = percentile(std::move(minutes), 0.99);
}

void measure_deaths(const Timeline& timeline, Score& result) {
  std::set<Duration::rep> days;
  Duration streak_began{};
  std::size_t streak = 0;
  for (std::size_t i = 0; i < timeline.deaths.size(); ++i) {
    const Death& death = timeline.deaths[i];
    if (!death.is_oom) {
      ++result.crashes;
      continue;
    }
    ++result.ooms;
    days.insert(death.at / kDay);
    const bool continues = death.streak > 1 && streak > 0;
    streak = continues ? streak + 1 : 1;
    if (!continues) streak_began = death.at;
    result.longest_oom_streak = std::max(result.longest_oom_streak, streak);
    result.oom_recovery = std::max(result.oom_recovery, death.back - streak_began);
  }
  result.days_with_oom = days.size();
}

void add(ResourceScore& sum, const ResourceScore& other) {
  sum.requested += other.requested;
  sum.slack += other.slack;
  sum.used += other.used;
  sum.deficit += other.deficit;
  sum.hours += other.hours;
  sum.under_hours += other.under_hours;
  if (other.max_demand > 0 && (sum.max_demand == 0 || other.overshoot() > sum.overshoot())) {
    sum.max_request = other.max_request;
    sum.max_demand = other.max_demand;
  }
  keep_greater(sum.settles_up, other.settles_up);
  keep_greater(sum.settles_down, other.settles_down);
}

}  // namespace

double Score::oom_free_share() const {
  if (calendar_days == 0) return 1;
  return 1 - static_cast<double>(days_with_oom) / static_cast<double>(calendar_days);
}

void Score::add(const Score& other) {
  score::add(cpu, other.cpu);
  score::add(memory, other.memory);
  days += other.days;
  ooms += other.ooms;
  crashes += other.crashes;
  longest_oom_streak = std::max(longest_oom_streak, other.longest_oom_streak);
  oom_recovery = std::max(oom_recovery, other.oom_recovery);
  downtime += other.downtime;
  days_with_oom += other.days_with_oom;
  calendar_days += other.calendar_days;
  wanted_work += other.wanted_work;
  throttled_work += other.throttled_work;
  throttle_p99 = std::max(throttle_p99, other.throttle_p99);
  changes += other.changes;
}

Score score(const Workload& workload, const Timeline& timeline) {
  Score result;
  const Duration length = workload.length();
  result.days = to_seconds(length) / to_seconds(kDay);
  result.calendar_days = static_cast<std::size_t>((length + kDay - 1ns) / kDay);
  result.changes = timeline.changes;
  double downtime = 0;
  for (const Step& state : timeline.steps) {
    if (!state.is_scheduled) continue;
    downtime += (1 - state.alive) * to_seconds(timeline.step);
    // `used` is measured at the end of the step; a container that is down then has none.
    if (state.used == Demand{}) continue;
    const double hours = state.alive * to_seconds(timeline.step) / kSecondsPerHour;
    add_step(result.cpu, state, &Demand::cpu_cores, hours, 1);
    add_step(result.memory, state, &Demand::memory_bytes, hours, kGiB);
  }
  result.downtime = from_seconds(downtime);
  measure_convergence(workload, timeline, &Demand::cpu_cores, result.cpu);
  measure_convergence(workload, timeline, &Demand::memory_bytes, result.memory);
  measure_extremes(workload, timeline, &Demand::cpu_cores, 1, result.cpu);
  measure_extremes(workload, timeline, &Demand::memory_bytes, kGiB, result.memory);
  measure_throttle(timeline, result);
  measure_deaths(timeline, result);
  return result;
}

double cost(const Score& score, const Prices& prices) {
  return prices.slack * score.slack_share() + prices.oom_per_day * score.ooms_per_day() +
         prices.throttled * score.throttled_share() +
         prices.change_per_day * score.changes_per_day();
}

bool dominates(const Score& a, const Score& b) {
  const auto numbers = [](const Score& score) {
    return std::array{score.slack_share(), score.ooms_per_day(), score.throttled_share(),
                      score.changes_per_day()};
  };
  const auto of_a = numbers(a);
  const auto of_b = numbers(b);
  bool is_better = false;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i] > of_b[i]) return false;
    is_better = is_better || of_a[i] < of_b[i];
  }
  return is_better;
}

}  // namespace bellows::recommender::score
