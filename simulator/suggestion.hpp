// The constant keep-alive that would have cost least on a workload.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "report/comparison_table.hpp"
#include "simulator/outcome.hpp"
#include "simulator/policy.hpp"

namespace bellows::simulator {

/// Returns `policy` with `keep-alive: constant`, one copy for each idle-clock from 5 s to an hour.
std::vector<Policy> constants_of(const Policy& policy);

/// Returns replica-seconds of waste; each cold start counts as `worth` of an idle replica.
double keep_alive_cost(const Outcome& outcome, Duration worth);

/// The simulation of one constant.
struct Constant {
  Duration idle_clock{};
  Outcome outcome;
};

struct Suggestion {
  Duration cold_start_worth{};
  std::vector<Constant> constants;  ///< by idle-clock
  Outcome learned;                  ///< of the policy that the user named

  /// Returns the cheapest constant; of equal ones the shortest. nullptr if there are none.
  const Constant* best() const;
};

/// Returns a table of the constants.
report::Rows suggestion_rows(const Suggestion& suggestion);
std::span<const report::Measure> suggestion_columns();
std::string suggestion_text(const Suggestion& suggestion);

}  // namespace bellows::simulator
