#include "bench/proving/match.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "simulator/simulation.hpp"

namespace bellows::proving {
namespace {

using simulator::Outcome;

constexpr std::array kConstants = {"5s", "15s", "30s", "60s", "90s", "2m", "5m", "15m", "1h"};
constexpr double kColdStartWorth = 60;  // replica-seconds

class Table {
 public:
  explicit Table(const Scenario& scenario)
      : scenario_(scenario), profile_(simulator::profile_load(scenario.workload)) {}

  Result<Outcome> play(const std::string& policy) const {
    const std::string common = "container-concurrency=" + std::to_string(scenario_.limit);
    const auto read = simulator::read_policies(policy, common);
    if (!read) return tl::unexpected(read.error().front());
    Outcome outcome = simulator::simulate(scenario_.workload, profile_, read->front().settings);
    outcome.policy = policy;
    return outcome;
  }

  Result<Outcome> play_oracle() const {
    const std::string common = "container-concurrency=" + std::to_string(scenario_.limit);
    const auto read = simulator::read_policies("knative", common);
    if (!read) return tl::unexpected(read.error().front());
    Outcome outcome =
        simulator::simulate_oracle(scenario_.workload, profile_, read->front().settings);
    outcome.policy = "oracle";
    return outcome;
  }

  double mean_load() const { return profile_.mean_load(); }

 private:
  const Scenario& scenario_;
  simulator::LoadProfile profile_;
};

double cost(const Outcome& outcome) {
  return outcome.waste() + kColdStartWorth * static_cast<double>(outcome.cold_starts);
}

Result<void> play_constants(const Table& table, Match& match) {
  for (const std::string length : kConstants) {
    BELLOWS_TRY(Outcome outcome, table.play("bellows:keep-alive=constant:idle-clock=" + length));
    const bool is_as_warm = outcome.cold_starts <= match.bellows.cold_starts;
    const bool is_rival =
        is_as_warm && (match.rival.policy.empty() || outcome.waste() < match.rival.waste());
    if (is_rival) match.rival = outcome;
    if (!match.has_constants() || cost(outcome) < cost(match.constant)) {
      match.constant = std::move(outcome);
    }
  }
  return {};
}

/// `mine` / `theirs`, equal within 10 ms.
double wait_ratio(double mine, double theirs) {
  constexpr double kEqual = 0.010;
  if (mine <= theirs + kEqual) return std::min(1.0, theirs > kEqual ? mine / theirs : 1.0);
  return mine / std::max(theirs, kEqual);
}

double waste_ratio(const Outcome& mine, const Outcome& theirs) {
  // Without a limit a policy may use less than its target asks for.
  constexpr double kNothing = 0.05;
  if (theirs.waste() <= kNothing * theirs.replica_seconds) {
    return mine.replica_seconds / std::max(1.0, theirs.replica_seconds);
  }
  return mine.waste() / theirs.waste();
}

}  // namespace

double Verdict::excess() const {
  double far = std::max({0.0, wait - 1.05, waste - 1.03});
  if (is_beaten()) far = std::max(far, rival_waste - 1.05);
  return far;
}

Verdict judge(const Match& match) {
  const Outcome& b = match.bellows;
  const Outcome& k = match.knative;
  Verdict verdict;
  verdict.wait = std::max(wait_ratio(to_seconds(b.waits.p99), to_seconds(k.waits.p99)),
                          wait_ratio(b.waits.mean_seconds, k.waits.mean_seconds));
  if (b.lost() > k.lost()) verdict.wait = std::max(verdict.wait, kWaitOfLost);
  verdict.waste = waste_ratio(b, k);
  verdict.replica_seconds = b.replica_seconds / std::max(1.0, k.replica_seconds);
  const simulator::AppModel& app = match.scenario.workload.app;
  verdict.is_large = match.scenario.min_load > 50 && app.start.mean() <= std::chrono::seconds(2) &&
                     match.scenario.limit > 0 && !match.oracle.policy.empty();
  const double room = k.replica_seconds - match.oracle.replica_seconds;
  constexpr double kNothing = 0.05;  // of knative's: a share of next to nothing has no meaning
  verdict.is_large = verdict.is_large && room > kNothing * k.replica_seconds;
  if (verdict.is_large) {
    verdict.above_oracle = (b.replica_seconds - match.oracle.replica_seconds) / room;
  }
  if (!match.rival.policy.empty() && match.rival.waste() > 0) {
    verdict.rival_waste = b.waste() / match.rival.waste();
  }
  return verdict;
}

Result<Match> play(const Scenario& scenario, const Players& players) {
  const Table table(scenario);
  Match match;
  match.scenario = scenario;
  match.mean_load = table.mean_load();
  match.scenario.workload.traffic = {};  // large, and made again from the seed
  BELLOWS_TRY(match.knative, table.play("knative"));
  BELLOWS_TRY(match.bellows, table.play(players.bellows));
  if (!players.plays_bounds) return match;
  BELLOWS_TRY(match.oracle, table.play_oracle());
  const bool is_sparse = scenario.kind == Kind::kSparse || scenario.kind == Kind::kRhythm;
  if (is_sparse) BELLOWS_CHECKED(play_constants(table, match));
  return match;
}

}  // namespace bellows::proving
