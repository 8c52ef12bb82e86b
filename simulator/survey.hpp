// The limits: what the load itself needs, whoever scales.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Requests in service if there were room for all of them at once.
struct Survey {
  Duration length{};
  std::uint64_t requests = 0;                 ///< that are counted (after the warm-up)
  double service_seconds = 0;                 ///< of them all, as far as it lies within the length
  std::int32_t most = 0;                      ///< in service at one instant after the warm-up
  std::vector<double> mean_in_service;        ///< of each whole second
  std::vector<std::int32_t> most_in_service;  ///< at one instant of it
  std::vector<std::uint32_t> arrivals;        ///< within it

  double mean_load() const;  ///< requests in service, mean after the warm-up
  Duration warm_up{};
};

/// Costs one run through the arrivals. Pure.
Survey survey(const Workload& workload, const Progress& progress = {});

}  // namespace bellows::simulator
