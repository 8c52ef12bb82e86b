// The input of a simulation: traffic, app, and the random seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "simulator/app_model.hpp"
#include "simulator/traffic.hpp"

namespace bellows::simulator {

struct Workload {
  Traffic traffic;
  TrafficOptions options;
  AppModel app;
  std::uint64_t seed = 1;
  /// Time before the counted part, so that the very first start does not count.
  Duration warm_up{};

  ArrivalStream arrivals() const { return {traffic, options, app.service, seed}; }
};

/// Writes the complete app model; service times of the trace as "as traced".
std::string app_text(const Workload& workload);

/// Limits the memory, which holds the requests of one minute or all events of a trace.
/// kInvalidSetting names the scale, the number of requests, and the maximum scale.
Result<void> check_scale(const Traffic& traffic, double scale);

/// Called from time to time with the progress, 0 to 1.
using Progress = std::function<void(double)>;

}  // namespace bellows::simulator
