// One scenario under all policies, and how they compare.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/proving/scenario.hpp"
#include "simulator/outcome.hpp"
#include "simulator/policy.hpp"

namespace bellows::proving {

struct Match {
  Scenario scenario;
  double mean_load = 0;
  simulator::Outcome knative;
  simulator::Outcome bellows;
  simulator::Outcome oracle;
  /// The constant keep-alive that costs least in hindsight, a cold start being worth a minute of an
  /// idle replica. Only on sparse traffic; elsewhere without a name.
  simulator::Outcome constant;
  /// A constant keep-alive with no more cold starts than bellows, and the smallest waste of those.
  simulator::Outcome rival;
  bool has_constants() const { return !constant.policy.empty(); }
};

/// The least Verdict::wait where bellows loses more requests than knative. The waits are those of
/// the requests that are served: who loses all of them has none.
inline constexpr double kWaitOfLost = 10;

/// The result of one match for bellows; ratios are to knative, 1 is equal, below is better.
struct Verdict {
  /// The larger one of p99 and mean wait. A difference of up to 10 ms counts as equal. At least
  /// kWaitOfLost if more requests are lost.
  double wait = 1;
  double waste = 1;  ///< of replica-seconds if knative wastes next to nothing
  double replica_seconds = 1;
  /// (bellows - oracle) / (knative - oracle) of the replica-seconds; only for a large load.
  double above_oracle = 0;
  bool is_large = false;   ///< the load is above 50 all day and starts take at most 2 s
  double rival_waste = 0;  ///< waste of bellows / waste of its rival; 0 without one
  /// Returns the distance from the required limits, for the order of the worst; 0: within the
  /// limits.
  double excess() const;
  bool does_wait() const { return wait > 1.05; }
  bool does_waste() const { return waste > 1.03; }
  bool is_beaten() const { return rival_waste > 1.05; }
};

Verdict judge(const Match& match);

/// The policies of a match beside knative: `bellows` as text, so that a setting can be tried.
struct Players {
  std::string bellows = "bellows";
  bool plays_bounds = true;  ///< the oracle, and on sparse traffic the constants
};

/// kInvalidSetting if the policy cannot be read.
Result<Match> play(const Scenario& scenario, const Players& players);

}  // namespace bellows::proving
