// A scenario under one way to keep room, in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/core/settings.hpp"
#include "slack/sim/scenario.hpp"

namespace bellows::slack::sim {

/// Ways to keep room for pods to come.
enum class Baseline : std::uint8_t {
  kNone,     ///< nodes are added for pending pods only
  kSlack,    ///< this room: placeholders for a rate of the cluster
  kShapes,   ///< the same, and the next replicas of each workload (--shapes revisions)
  kBalloon,  ///< a Deployment of pause pods, sized once; each real pod waits for a preemption
  kBuffer,   ///< CapacityBuffer: 10 % of each workload's pods, at least one
  kLiteral,  ///< the count as the design has it: the whole cluster again
  kLowered,  ///< no room on nodes, but a quarter more replicas than the load needs
};
std::string_view to_string(Baseline baseline);
/// All, or the names separated by commas. kInvalidSetting: no such baseline.
Result<std::vector<Baseline>> read_baselines(const std::string& list);

struct SimulationSettings {
  Settings planner{};
  std::uint64_t seed = 1;
  std::int64_t scan_seconds = 10;
  std::int64_t unneeded_seconds = 600;  ///< a node goes after it could have gone for so long
  std::int64_t preemption_seconds = 3;  ///< until a balloon pod has left
};

/// What a baseline did. Waits are of pods that the load needs, until they have a node.
struct Score {
  std::string baseline{};
  std::int64_t needed = 0;    ///< pods that the load came to need
  std::int64_t at_once = 0;   ///< of them, placed in the second they were needed
  std::int64_t for_node = 0;  ///< waited for a node
  std::int64_t p50_seconds = 0;
  std::int64_t p95_seconds = 0;
  std::int64_t p99_seconds = 0;
  std::int64_t max_seconds = 0;
  std::uint64_t requests = 0;   ///< of the trace
  double requests_waiting = 0;  ///< of them, the share of pods that had no node
  double node_hours = 0;
  double cost = 0;
  double honoured = 0;  ///< share of loops after which the asked room was free
  double probes = 0;    ///< share of probes up to the biggest pod that fit (R6 to R9)
  std::int64_t moves_when_quiet = 0;
  std::int64_t flapped = 0;  ///< nodes removed within 30 minutes after their order
  std::int64_t nodes_added = 0;
  std::int64_t failures = 0;
  std::uint64_t nodes_visited_max = 0;  ///< by one loop
  std::vector<double> nodes{};          ///< by minute
  std::vector<double> waiting{};        ///< pods without a node, by minute

  double cost_above(const Score& other) const { return other.cost > 0 ? cost / other.cost - 1 : 0; }
};

/// Equal arguments give equal scores. Pure.
Score simulate(const Scenario& scenario, Baseline baseline, const SimulationSettings& settings);

}  // namespace bellows::slack::sim
