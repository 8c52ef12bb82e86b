// Derives demand from Bellows' own decisions on a trace of requests.
#pragma once

#include <string>

#include "base/result.hpp"
#include "simulator/trace_format.hpp"
#include "slack/sim/scenario.hpp"

namespace bellows::slack::sim {

struct TraceDemand {
  std::string file;  ///< name in messages
  std::string text;
  std::string policy = "bellows";  ///< as of `bellows simulate --policy`
  double scale = 1;
  Duration from{};
  Duration to = Duration::max();
  std::string app = "start=2s,service=500ms";
  Resources size{500, std::int64_t{1} << 30U, 1};  ///< of one replica
  std::uint64_t seed = 1;
};

/// Runs the autoscaler's core in virtual time, as `bellows simulate` does; its orders are the
/// demand. One workload of that size grows beside two constant ones. Errors are those of the trace,
/// the policy and the app.
Result<Scenario> scenario_of(const TraceDemand& demand);

}  // namespace bellows::slack::sim
