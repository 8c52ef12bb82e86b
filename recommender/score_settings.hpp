// The flags of `recommender score`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.hpp"
#include "recommender/score/simulation.hpp"

namespace bellows::recommender {

struct ScoreSettings {
  std::string trace = "all";
  std::string policy = "vpa,spike,hybrid";
  std::int64_t seed = 1;
  std::string report;  ///< the file to write; empty: none
  bool json = false;
  score::LimitRule limit = score::LimitRule::kRatio;
  double cpu_limit_ratio = score::SimulationSettings{}.cpu_limit_ratio;
  double memory_limit_ratio = score::SimulationSettings{}.memory_limit_ratio;
  score::ApplyRule apply = score::ApplyRule::kAtOnce;

  score::SimulationSettings world() const {
    return {limit, cpu_limit_ratio, memory_limit_ratio, apply};
  }
  bool operator==(const ScoreSettings&) const = default;
};

const config::Schema<ScoreSettings>& score_schema();

/// Returns the settings of the command: its own, and those of the policies.
const std::vector<config::Declaration>& score_declarations();

}  // namespace bellows::recommender
