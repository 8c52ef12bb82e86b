// Compares the baselines: one table, JSON, one page.
#pragma once

#include <string>
#include <vector>

#include "slack/sim/simulation.hpp"

namespace bellows::slack::sim {

/// All baselines on one scenario.
struct ScenarioResult {
  std::string scenario;
  std::string about;
  std::vector<Score> scores;
};

struct Comparison {
  std::vector<ScenarioResult> results{};
  std::uint64_t seed = 1;
  double rate = 0;
};

std::string comparison_table(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_page(const Comparison& comparison);

}  // namespace bellows::slack::sim
