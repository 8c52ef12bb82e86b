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
  std::string app;       ///< for simulator::parse_app_model()
  std::string goal;      ///< setting latency-goal
  double rate = 0;       ///< requests a second of a full load: some ten replicas at the best target
  bool changes = false;  ///< its requests begin to take longer in the middle
};
std::vector<Model> models();

struct Load {
  std::string name;
  bool is_for_tuning = false;  ///< numbers of the slow brain were chosen on it
  /// Share of the full load, at a share of the length.
  std::function<double(double)> share;
};
std::vector<Load> loads();

/// The length of a run, and the part at its begin that is not counted.
struct Course {
  Duration length{};
  Duration warm_up{};
};

/// Counts per minute cannot hold an on/off load of seconds, so each request is an event.
simulator::Workload workload_of(const Model& model, const Load& load, const Course& course,
                                std::uint64_t seed);

}  // namespace bellows::slow_table
