// Simulates a scenario with one way to reserve room, in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/settings.hpp"
#include "slack/sim/scenario.hpp"

namespace bellows::slack::sim {

/// Ways to reserve room for future pods.
enum class Baseline : std::uint8_t {
  kNone,     ///< nodes are added for pending pods only
  kSlack,    ///< placeholders for a rate of the cluster, as this room does
  kShapes,   ///< the same, and the next replicas of each workload (--shapes revisions)
  kBalloon,  ///< a Deployment of pause pods, sized once; each real pod waits for a preemption
  kBuffer,   ///< CapacityBuffer: 10 % of each workload's pods, at least one
  kLowered,  ///< no room on nodes, but a quarter more replicas than the load needs
};
std::string_view to_string(Baseline baseline);
/// Parses names separated by commas, or "all". kInvalidSetting: no such baseline.
Result<std::vector<Baseline>> read_baselines(const std::string& list);

struct SimulationSettings {
  Settings planner{};
  std::uint64_t seed = 1;
  std::int64_t scan_seconds = 10;
  std::int64_t unneeded_seconds = 600;  ///< time before a removable node is removed
  std::int64_t preemption_seconds = 3;  ///< until a balloon pod has ended
};

/// Result of a baseline. Waits are those of pods that the load needs, until they have a node.
struct Score {
  std::string baseline{};
  std::int64_t needed = 0;    ///< pods that the load needed
  std::int64_t at_once = 0;   ///< the part placed in the second it was needed
  std::int64_t for_node = 0;  ///< the part that waited for a node
  std::int64_t p50_seconds = 0;
  std::int64_t p95_seconds = 0;
  std::int64_t p99_seconds = 0;
  std::int64_t max_seconds = 0;
  std::uint64_t requests = 0;   ///< of the trace
  double requests_waiting = 0;  ///< share of them whose pods had no node
  double node_hours = 0;
  double cost = 0;
  double honoured = 0;  ///< share of loops after which the requested room was free
  double probes = 0;    ///< share of probes up to the biggest pod that fit (R6 to R9)
  std::int64_t moves_when_quiet = 0;
  std::int64_t flapped = 0;  ///< nodes removed within 30 minutes after their order
  std::int64_t nodes_added = 0;
  std::int64_t failures = 0;
  std::uint64_t nodes_visited_max = 0;  ///< in one loop
  std::vector<double> nodes{};          ///< by minute
  std::vector<double> waiting{};        ///< pods without a node, by minute

  double cost_above(const Score& other) const { return other.cost > 0 ? cost / other.cost - 1 : 0; }
};

/// Runs the simulation. Equal arguments give equal scores. Pure.
Score simulate(const Scenario& scenario, Baseline baseline, const SimulationSettings& settings);

}  // namespace bellows::slack::sim
