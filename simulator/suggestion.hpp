// The constant keep-alive that would have cost least on a workload.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "simulator/outcome.hpp"
#include "simulator/policy.hpp"

namespace bellows::simulator {

/// `policy` with `keep-alive: constant` and an idle-clock from 5 s to an hour, one each.
std::vector<Policy> constants_of(const Policy& policy);

/// Replica-seconds of waste, each cold start counting as `worth` of an idle replica.
double keep_alive_cost(const Outcome& outcome, Duration worth);

/// What was played for one constant.
struct Constant {
  Duration idle_clock{};
  Outcome outcome;
};

struct Suggestion {
  Duration cold_start_worth{};
  std::vector<Constant> constants;  ///< by idle-clock
  Outcome learned;                  ///< of the policy as it was asked for

  /// The cheapest one; of equal ones the shortest. Nothing without any.
  const Constant* best() const;
};

/// A table of the constants, and what to set.
std::vector<std::vector<std::string>> suggestion_rows(const Suggestion& suggestion);
std::string suggestion_text(const Suggestion& suggestion);

}  // namespace bellows::simulator
