// The score of a timeline: the numbers by which recommenders are compared.
#pragma once

#include <cstddef>
#include <optional>

#include "recommender/score/simulation.hpp"

namespace bellows::recommender::score {

/// CPU in cores, memory in GiB, times hours. Only time in which the container ran counts.
struct ResourceScore {
  double requested = 0;
  double slack = 0;  ///< requested, but not used
  double used = 0;
  double deficit = 0;  ///< used beyond the request
  double hours = 0;
  double under_hours = 0;  ///< with usage above the request
  double max_request = 0;
  double max_demand = 0;
  /// Time from a demand change until the request stays within 10 % of its value before the next
  /// one. nullopt: there is no demand change, or the request did not follow it.
  std::optional<Duration> settles_up;
  std::optional<Duration> settles_down;

  double slack_share() const { return requested > 0 ? slack / requested : 0; }
  double deficit_share() const { return used > 0 ? deficit / used : 0; }
  double under_share() const { return hours > 0 ? under_hours / hours : 0; }
  /// Returns the maximum request relative to the maximum demand, minus 1.
  double overshoot() const { return max_demand > 0 ? max_request / max_demand - 1 : 0; }
};

struct Score {
  ResourceScore cpu;
  ResourceScore memory;
  double days = 0;  ///< container-days: the length of the workload
  std::size_t ooms = 0;
  std::size_t crashes = 0;  ///< for other reasons
  std::size_t longest_oom_streak =
      0;  ///< longest streak of OOM kills with less than ten minutes of running in between
  Duration oom_recovery{};  ///< of the longest streak: from the first kill until it keeps running
  Duration downtime{};      ///< scheduled, but not running
  std::size_t days_with_oom = 0;  ///< calendar days
  std::size_t calendar_days = 0;
  double wanted_work = 0;     ///< core-hours
  double throttled_work = 0;  ///< the part above the limit
  double throttle_p99 = 0;    ///< of the throttled share of each minute
  std::size_t changes = 0;    ///< of the request

  double ooms_per_day() const { return days > 0 ? static_cast<double>(ooms) / days : 0; }
  double changes_per_day() const { return days > 0 ? static_cast<double>(changes) / days : 0; }
  double throttled_share() const { return wanted_work > 0 ? throttled_work / wanted_work : 0; }
  double oom_free_share() const;
  /// Returns the mean of both resources' slack share.
  double slack_share() const { return (cpu.slack_share() + memory.slack_share()) / 2; }

  /// Combines several containers: sums, or the worst value where a sum is meaningless. Shares are
  /// weighted by request-hours.
  void add(const Score& other);
};

Score score(const Workload& workload, const Timeline& timeline);

/// The weights of the cost, a single number shown beside the Pareto front. One OOM kill a day costs
/// as much as half of the total request; one percent of throttled work or two changes a day cost as
/// much as two percent of it.
struct Prices {
  double slack = 1;
  double oom_per_day = 0.5;
  double throttled = 2;
  double change_per_day = 0.01;
};
double cost(const Score& score, const Prices& prices = {});

/// Returns true if `a` is not worse in any of slack share, OOM kills a day, throttled share and
/// changes a day, and better in one.
bool dominates(const Score& a, const Score& b);

}  // namespace bellows::recommender::score
