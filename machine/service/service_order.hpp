// Orders to the services of a machine, and their results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "machine/core/canary.hpp"

namespace bellows::machine {

/// The cause of a change of shares that is a step of a canary.
inline constexpr std::string_view kCanary = "canary";

/// The options of an order besides its content.
struct ServiceOrder {
  bool dry_run = false;                   ///< reports the changes without making them
  bool probe = true;                      ///< a service at zero is proven by one start
  std::string cause = "deploy";           ///< for the log, and for the error of a second order
  std::optional<CanaryPlan> canary = {};  ///< deploy: by steps
  std::string tag = {};  ///< of deploy: the revision gets this tag instead of the requests
  std::optional<WallTime> expires = {};  ///< of add: ServiceRecord::expires
};

/// The result of an order.
struct ServiceAnswer {
  std::vector<std::string> lines;       ///< one for each change; empty: no difference
  std::vector<RevisionId> rolling_out;  ///< services whose shares change when all is ready
};

}  // namespace bellows::machine
