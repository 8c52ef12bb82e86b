// The settings of a slow brain, resolved, and its revision's part of the requests.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler::slow {

struct SlowSpec {
  std::optional<config::LatencyGoal> goal{};
  Duration window = std::chrono::minutes(5);  ///< over which the goal is evaluated
  double min = 1;
  double max = 1000;            ///< at most the hard limit, which is never raised
  double configured = 100;      ///< the target without a slow brain
  bool is_configured = false;   ///< the user set a target or a hard limit
  std::int32_t hard_limit = 0;  ///< of requests in flight; 0: none
  bool is_used = true;          ///< the decider uses the learned target (slow-brain auto)
  double share = 1;             ///< the revision's part of its service's requests; 0: none
  bool operator==(const SlowSpec&) const = default;
};
SlowSpec slow_spec(const config::RevisionSettings& settings, double share = 1);

}  // namespace bellows::autoscaler::slow
