// App models, each with a latency goal, and courses of load. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/workload.hpp"

namespace bellows::slow_table {

struct Model {
  std::string name;
  std::string app;   ///< for simulator::parse_app_model()
  std::string goal;  ///< setting latency-goal
  double rate = 0;   ///< requests a second of a full load: some ten replicas at the best target
};
std::vector<Model> models();

struct Load {
  std::string name;
  bool is_for_tuning = false;  ///< numbers of the slow brain were chosen on it
  /// Share of the full load, at a share of the length.
  std::function<double(double)> share;
};
std::vector<Load> loads();

/// Counts per minute cannot hold an on/off load of seconds, so each request is an event.
simulator::Workload workload_of(const Model& model, const Load& load, Duration length,
                                Duration warm_up, std::uint64_t seed);

}  // namespace bellows::slow_table
