// The input of a simulation: workloads whose demand for pods changes, and their nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/node.hpp"

namespace bellows::slack::sim {

/// The number of pods that a workload needs from this second on.
struct Step {
  std::int64_t second = 0;
  std::size_t workload = 0;
  std::int64_t pods = 0;
};

struct Scenario {
  std::string name{};
  std::string about{};
  std::vector<NodeType> types{};
  std::vector<Shape> workloads{};
  std::vector<Step> steps{};  ///< by second; the measurement begins after those of second 0
  /// Requests per second of each workload, if the demand was derived from requests.
  std::vector<std::vector<std::uint32_t>> requests{};
  std::int64_t seconds = 0;
  double failures_per_node_day = 0;
  double order_failures = 0;            ///< share of ordered nodes that never arrive
  std::int64_t start_min_seconds = 30;  ///< from the order of a node until it is ready
  std::int64_t start_max_seconds = 180;
};

/// Returns the names of the synthetic scenarios.
std::vector<std::string> scenario_names();
/// Makes the scenario. Returns kInvalidSetting if there is none with that name.
Result<Scenario> make_scenario(const std::string& name, std::uint64_t seed);

/// Returns two types of nodes, the larger one four times the smaller, and their prices.
std::vector<NodeType> usual_types();

}  // namespace bellows::slack::sim
