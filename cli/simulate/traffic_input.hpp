// The traffic of `bellows simulate`: a trace, or an access log.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "simulator/access_log/access_log.hpp"
#include "simulator/traffic.hpp"

namespace bellows::cli {

struct TrafficInput {
  simulator::Traffic traffic;
  /// The rest of an access log; its traffic is above.
  std::optional<simulator::LogTraffic> log{};
};

/// Reads the file of `settings`. A log is read in parts, by as many threads as there are cores, so
/// that its size does not matter.
Result<TrafficInput> read_traffic(const SimulateSettings& settings);

}  // namespace bellows::cli
