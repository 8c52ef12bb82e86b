// The load itself, which is the same under any policy.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Concurrent requests in one stage (in service, on a CPU) if the capacity were unlimited.
struct Busy {
  double seconds = 0;        ///< request-seconds of arrivals after the warm-up, within the length
  std::int32_t max = 0;      ///< maximum after the warm-up
  std::vector<double> mean;  ///< per second
  std::vector<std::int32_t> max_at_once;  ///< maximum per second
};

struct LoadProfile {
  Duration length{};
  Duration warm_up{};
  std::uint64_t requests = 0;           ///< after the warm-up
  std::vector<std::uint32_t> arrivals;  ///< per second
  Busy in_service;
  /// Requests on the CPU of a replica, whose cores count as one CPU. Empty if the app needs no CPU.
  Busy on_cpu;

  double mean_load() const;  ///< mean requests in service after the warm-up
};

/// Computes the profile in one pass over the arrivals. Pure.
LoadProfile profile_load(const Workload& workload, const Progress& progress = {});

}  // namespace bellows::simulator
