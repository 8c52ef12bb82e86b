#include "simulator/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "report/plot.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

constexpr double kSecondsPerHour = 3600;
constexpr PodCount kMostReplicas = 5000;  // the maximum of a simulation
constexpr std::array kUtilizations = {60, 80};

double hours_of(const Outcome& outcome) {
  return outcome.replica_seconds / kSecondsPerHour;
}

std::string hours_text(double hours) {
  return std::abs(hours) < 10 ? report::three_digits_text(hours) : grouped(hours);
}

std::string target_text(const Candidate& candidate, double slots) {
  return shortest_text(candidate.utilization ? slots * *candidate.utilization / 100 : slots);
}

/// Writes "+3ms", "-1ms" or "+0".
std::string added_text(Duration added) {
  if (added == Duration::zero()) return "+0ms";
  return (added < Duration::zero() ? "-" : "+") + rounded_duration_text(std::chrono::abs(added));
}

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + "%";
}

std::string settings_text(const Candidate& candidate) {
  std::string text = "min-scale: " + std::to_string(candidate.keep);
  if (!candidate.utilization) return text + ", the default headroom";
  return text + ", target-utilization-percentage: " + std::to_string(*candidate.utilization);
}

}  // namespace

PodCount always_on_replicas(const Demand& demand, const LoadProfile& profile) {
  std::vector<std::pair<PodCount, std::uint64_t>> seconds;
  std::uint64_t requests = 0;
  for (std::size_t second = 0; second < demand.seconds(); ++second) {
    requests += profile.arrivals[second];
    seconds.emplace_back(demand.max(second), profile.arrivals[second]);
  }
  std::ranges::sort(seconds);
  std::uint64_t seen = 0;
  for (const auto& [replicas, arrivals] : seconds) {
    seen += arrivals;
    if (seen * 100 >= requests * 99) return std::clamp(replicas, 1, kMostReplicas);
  }
  return 1;
}

Policy always_on(const Policy& usual, PodCount replicas) {
  const std::string number = std::to_string(replicas);
  Policy fixed = usual;
  fixed.name = "bellows:min-scale=" + number + ":max-scale=" + number + ":initial-scale=" + number;
  fixed.settings.min_scale = replicas;
  fixed.settings.max_scale = replicas;
  fixed.settings.initial_scale = replicas;
  fixed.settings.activation_scale.reset();  // any but `replicas` contradicts the others
  return fixed;
}

std::vector<PodCount> replicas_to_keep(const Demand& demand) {
  std::vector<double> loads;
  for (std::size_t second = 0; second < demand.seconds(); ++second) {
    loads.push_back(demand.mean(second));
  }
  std::ranges::sort(loads);
  const double quiet = loads.empty() ? 0 : loads[loads.size() / 20];
  const auto filled = static_cast<PodCount>(std::min<double>(std::ceil(quiet), kMostReplicas));
  std::vector<PodCount> keep = {0, 1};
  if (filled > 1) keep.push_back(filled);
  return keep;
}

std::string Candidate::policy() const {
  std::string text = "bellows:min-scale=" + std::to_string(keep);
  if (utilization) text += ":target-utilization-percentage=" + std::to_string(*utilization);
  return text;
}

std::vector<Candidate> with_targets(PodCount keep) {
  std::vector<Candidate> candidates;
  for (const int utilization : kUtilizations) {
    candidates.push_back({.keep = keep, .utilization = utilization});
  }
  return candidates;
}

Duration wait_that_may_be_added(const Workload& workload) {
  const Distribution& service = workload.traffic.service.value_or(workload.app.service);
  return std::max<Duration>(service.at(0.99) / 10, 10ms);
}

bool WhatIf::keeps_waiting(const Candidate& candidate) const {
  return candidate.outcome.waits.p99 <= always_on.waits.p99 + added_wait &&
         candidate.outcome.lost() <= always_on.lost();
}

const Candidate& WhatIf::best() const {
  const auto is_better = [this](const Candidate& a, const Candidate& b) {
    const bool keeps = keeps_waiting(a);
    if (keeps != keeps_waiting(b)) return keeps;
    if (!keeps && a.outcome.waits.p99 != b.outcome.waits.p99) {
      return a.outcome.waits.p99 < b.outcome.waits.p99;
    }
    return a.outcome.replica_seconds < b.outcome.replica_seconds;
  };
  return *std::ranges::min_element(tried, is_better);
}

std::string what_if_text(const WhatIf& tried) {
  const Candidate& best = tried.best();
  const double fixed = hours_of(tried.always_on);
  const double saved = fixed - hours_of(best.outcome);
  const std::string replicas = grouped(tried.always_on.max_replicas);
  std::string text = "Keep " + std::to_string(best.keep) + ", target " +
                     target_text(best, tried.slots) + " (" + settings_text(best) + "): saves " +
                     hours_text(saved) + " of " + hours_text(fixed) + " replica-hours (" +
                     percent(fixed > 0 ? saved / fixed : 0) + "), p99 " +
                     added_text(best.outcome.waits.p99 - tried.always_on.waits.p99) + ", beside " +
                     replicas + (tried.always_on.max_replicas == 1 ? " replica" : " replicas") +
                     " all the time, the fewest that take 99% of the requests as they come.\n";
  const std::string added = added_text(tried.added_wait) +
                            " in the p99 wait (a tenth of the requests' p99, at least 10ms)";
  if (tried.keeps_waiting(best)) {
    return text + "Of " + std::to_string(tried.tried.size()) +
           " settings it is the cheapest that stays within " + added + ".";
  }
  return text + "None of " + std::to_string(tried.tried.size()) + " settings stays within " +
         added + " and loses no more requests; this one has the shortest p99 wait.";
}

std::span<const report::Measure> what_if_columns() {
  static constexpr std::array<report::Measure, 7> kColumns = {{{"settings", {}},
                                                               {"keep", {}},
                                                               {"target", {}},
                                                               {"replica-hours", {}},
                                                               {"wait p99", {}},
                                                               {"cold", {}},
                                                               {"lost", {}}}};
  return kColumns;
}

report::Rows what_if_rows(const WhatIf& tried) {
  report::Rows rows;
  const auto add = [&](const std::string& name, const std::string& keep, const std::string& target,
                       const Outcome& outcome) {
    const Duration wait = outcome.waits.p99;
    rows.push_back({name, keep, target, hours_text(hours_of(outcome)),
                    wait == Duration::zero() ? "0" : rounded_duration_text(wait),
                    grouped(static_cast<double>(outcome.cold_starts)),
                    grouped(static_cast<double>(outcome.lost()))});
  };
  const Candidate* const best = &tried.best();
  const auto add_candidate = [&](const Candidate& candidate) {
    add(candidate.policy(), std::to_string(candidate.keep), target_text(candidate, tried.slots),
        candidate.outcome);
  };
  add_candidate(*best);
  for (const Candidate& candidate : tried.tried) {
    if (&candidate != best) add_candidate(candidate);
  }
  add("all the time", grouped(tried.always_on.max_replicas), "-", tried.always_on);
  return rows;
}

}  // namespace bellows::simulator
