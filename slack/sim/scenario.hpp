// What a simulation plays: workloads whose demand for pods changes, and the nodes they run on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/node.hpp"

namespace bellows::slack::sim {

/// From this second on a workload needs so many pods.
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
  std::vector<Step> steps{};  ///< by second; those of second 0 run before anything is measured
  /// Requests per second of each workload, if the demand was made from requests.
  std::vector<std::vector<std::uint32_t>> requests{};
  std::int64_t seconds = 0;
  double failures_per_node_day = 0;
  double order_failures = 0;            ///< share of ordered nodes that never come
  std::int64_t start_min_seconds = 30;  ///< from the order of a node until it is ready
  std::int64_t start_max_seconds = 180;
};

/// Names of the synthetic scenarios.
std::vector<std::string> scenario_names();
/// kInvalidSetting: no such scenario.
Result<Scenario> make_scenario(const std::string& name, std::uint64_t seed);

/// Two types of nodes, the larger one four times the smaller, and their prices.
std::vector<NodeType> usual_types();

}  // namespace bellows::slack::sim
