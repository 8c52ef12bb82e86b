#include "recommender/score/scorecard.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr double kGiB = 1024. * 1024 * 1024;
constexpr double kSecondsPerHour = 3600;
constexpr Duration kDay = 24h;
constexpr double kSettledWithin = 0.1;

using Part = double Demand::*;

void add_step(ResourceScore& resource, const Moment& moment, Part part, double hours, double unit) {
  const double request = moment.request.*part / unit;
  const double used = moment.used.*part / unit;
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

/// For the turn at `begin`; the plateau ends at `end`.
std::optional<Duration> settles(const Track& track, Part part, std::size_t begin, std::size_t end) {
  const double before = track.moments[begin].request.*part;
  const double settled = track.moments[end - 1].request.*part;
  if (is_near(before, settled)) return std::nullopt;
  std::size_t at = end;
  while (at > begin && is_near(track.moments[at - 1].request.*part, settled)) --at;
  return static_cast<Duration::rep>(at - begin) * track.step;
}

void keep_greater(std::optional<Duration>& kept, std::optional<Duration> other) {
  if (other && (!kept || *kept < *other)) kept = other;
}

void measure_turns(const Workload& workload, const Track& track, Part part,
                   ResourceScore& resource) {
  for (std::size_t i = 0; i < workload.turns.size(); ++i) {
    const bool is_last = i + 1 == workload.turns.size();
    const std::size_t end = is_last ? track.moments.size() : workload.turns[i + 1].at;
    const auto duration = settles(track, part, workload.turns[i].at, end);
    keep_greater(workload.turns[i].is_up ? resource.settles_up : resource.settles_down, duration);
  }
}

void measure_extremes(const Workload& workload, const Track& track, Part part, double unit,
                      ResourceScore& resource) {
  const auto demands = undisturbed(workload);
  for (std::size_t step = 0; step < demands.size(); ++step) {
    if (!track.moments[step].is_wanted) continue;
    resource.max_wanted = std::max(resource.max_wanted, demands[step].*part / unit);
    resource.max_request = std::max(resource.max_request, track.moments[step].request.*part / unit);
  }
}

/// Nearest rank.
double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

void measure_throttle(const Track& track, Score& result) {
  std::vector<double> minutes;
  double wanted = 0;
  double throttled = 0;
  const double hours = to_seconds(track.step) / kSecondsPerHour;
  for (std::size_t step = 0; step < track.moments.size(); ++step) {
    const Moment& moment = track.moments[step];
    const double work = moment.wanted.cpu_cores * moment.alive * hours;
    const double above =
        std::max(0., moment.wanted.cpu_cores - moment.limit.cpu_cores) * moment.alive * hours;
    wanted += work;
    throttled += above;
    result.wanted_work += work;
    result.throttled_work += above;
    const Duration end = static_cast<Duration::rep>(step + 1) * track.step;
    if (end % 1min >= track.step && step + 1 < track.moments.size()) continue;
    if (wanted > 0) minutes.push_back(throttled / wanted);
    wanted = throttled = 0;
  }
  result.throttle_p99 = percentile(std::move(minutes), 0.99);
}

void measure_deaths(const Track& track, Score& result) {
  std::set<Duration::rep> days;
  Duration row_began{};
  std::size_t row = 0;
  for (std::size_t i = 0; i < track.deaths.size(); ++i) {
    const Death& death = track.deaths[i];
    if (!death.is_oom) {
      ++result.crashes;
      continue;
    }
    ++result.ooms;
    days.insert(death.at / kDay);
    const bool goes_on = death.row > 1 && row > 0;
    row = goes_on ? row + 1 : 1;
    if (!goes_on) row_began = death.at;
    result.longest_row = std::max(result.longest_row, row);
    result.escape = std::max(result.escape, death.back - row_began);
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
  if (other.max_wanted > 0 && (sum.max_wanted == 0 || other.overshoot() > sum.overshoot())) {
    sum.max_request = other.max_request;
    sum.max_wanted = other.max_wanted;
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
  longest_row = std::max(longest_row, other.longest_row);
  escape = std::max(escape, other.escape);
  dark += other.dark;
  days_with_oom += other.days_with_oom;
  calendar_days += other.calendar_days;
  wanted_work += other.wanted_work;
  throttled_work += other.throttled_work;
  throttle_p99 = std::max(throttle_p99, other.throttle_p99);
  changes += other.changes;
}

Score score(const Workload& workload, const Track& track) {
  Score result;
  const Duration length = workload.length();
  result.days = to_seconds(length) / to_seconds(kDay);
  result.calendar_days = static_cast<std::size_t>((length + kDay - 1ns) / kDay);
  result.changes = track.changes;
  double dark = 0;
  for (const Moment& moment : track.moments) {
    if (!moment.is_wanted) continue;
    dark += (1 - moment.alive) * to_seconds(track.step);
    // Used is what it used when it ran to the end of the step; dead then, it tells nothing.
    if (moment.used == Demand{}) continue;
    const double hours = moment.alive * to_seconds(track.step) / kSecondsPerHour;
    add_step(result.cpu, moment, &Demand::cpu_cores, hours, 1);
    add_step(result.memory, moment, &Demand::memory_bytes, hours, kGiB);
  }
  result.dark = from_seconds(dark);
  measure_turns(workload, track, &Demand::cpu_cores, result.cpu);
  measure_turns(workload, track, &Demand::memory_bytes, result.memory);
  measure_extremes(workload, track, &Demand::cpu_cores, 1, result.cpu);
  measure_extremes(workload, track, &Demand::memory_bytes, kGiB, result.memory);
  measure_throttle(track, result);
  measure_deaths(track, result);
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
