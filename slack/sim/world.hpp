// The state of a simulation.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "slack/core/planner.hpp"
#include "slack/sim/simulation.hpp"

namespace bellows::slack::sim {

/// Simulates second by second: nodes arrive and fail, demand changes, the scheduler places pods,
/// and in every scan the planner adds and removes nodes. Owner: simulate().
class World {
 public:
  World(const Scenario& scenario, Baseline baseline, const SimulationSettings& settings);
  Score run();

 private:
  struct Workload {
    ShapeId shape = 0;          ///< in the cluster of the scheduler
    ShapeId planned_shape = 0;  ///< in that of the planner
    std::int64_t demand = 0;
    /// Seconds since which each pod is missing, oldest first.
    std::deque<std::int64_t> unmet_since{};
    std::vector<std::string> running{};
    std::deque<std::string> pending{};
    /// Pods being preempted, and until when.
    std::deque<std::pair<std::int64_t, std::string>> preempting{};
    std::vector<std::int64_t> history{};  ///< demand by scan
  };
  struct Machine {
    std::string type{};
    std::int64_t ordered = 0;
  };
  struct Order {
    std::int64_t ready = 0;
    std::int64_t ordered = 0;
    std::string type{};
    bool fails = false;
  };

  void add_first_nodes();
  void change_demand();
  void set_pods(Workload& workload, std::int64_t count);
  void remove_one_pod(Workload& workload);
  void nodes_arrive();
  void nodes_fail();
  void schedule();
  bool schedule_one(Workload& workload, const std::string& pod);
  void measure();
  void scan();
  void set_wants();
  void size_balloon(const Plan& plan);
  void scale(const Plan& plan);
  void remove_nodes(const Plan& plan);
  void lose_node(const std::string& name);
  void sample(const Plan& plan);
  void finish();
  std::int64_t look_ahead(const Workload& workload) const;
  double price(const std::string& type) const;

  const Scenario& scenario_;
  const Baseline baseline_;
  const SimulationSettings& settings_;
  SeededRandom starts_;
  SeededRandom failures_;
  Planner planner_;
  Cluster actual_;  ///< the scheduler's view
  std::vector<Workload> workloads_;
  std::map<std::string, Machine> machines_;
  std::vector<Order> orders_;
  std::map<std::string, std::int64_t> unneeded_since_;
  std::vector<std::int64_t> waits_;
  std::vector<Want> balloon_;
  std::size_t next_step_ = 0;
  std::int64_t now_ = 0;
  std::int64_t loops_ = 0;
  std::int64_t honoured_ = 0;
  std::int64_t probes_ = 0;
  std::int64_t probes_fit_ = 0;
  std::uint64_t next_name_ = 0;
  std::uint64_t seen_version_ = 0;
  bool is_changed_ = true;
  Score score_;
};

}  // namespace bellows::slack::sim
