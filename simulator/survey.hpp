// The limits: what the load itself needs, whoever scales.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Requests that are at one thing, if there were room for all of them at once.
struct Busy {
  double seconds = 0;  ///< of those who came after the warm-up, as far as it lies within the length
  std::int32_t max = 0;                   ///< at one instant after the warm-up
  std::vector<double> mean;               ///< of each whole second
  std::vector<std::int32_t> max_at_once;  ///< at one instant of it
};

struct Survey {
  Duration length{};
  Duration warm_up{};
  std::uint64_t requests = 0;           ///< after the warm-up
  std::vector<std::uint32_t> arrivals;  ///< within each whole second
  Busy in_service;
  /// On the CPU of a replica, which all its cores together are one of; nothing if the app needs
  /// none.
  Busy on_cpu;

  double mean_load() const;  ///< requests in service, mean after the warm-up
};

/// Costs one run through the arrivals. Pure.
Survey survey(const Workload& workload, const Progress& progress = {});

}  // namespace bellows::simulator
