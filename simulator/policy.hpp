// Policies to compare: a profile, and what is set differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/revision_settings.hpp"
#include "config/schema.hpp"
#include "simulator/app_model.hpp"

namespace bellows::simulator {

struct Policy {
  std::string name;  ///< as written: "bellows:headroom-factor=3"
  config::RevisionSettings settings;
};

/// `list`: policies separated by commas; each a profile, then settings behind colons:
/// "bellows,knative,bellows:headroom-factor=3:window=30s". `common`: settings of all of them,
/// "container-concurrency=20,max-scale=50"; a policy's own win. Below both lies what a simulation
/// starts from: container-concurrency 10, revision-timeout 0s, drain-timeout 24h. Every problem,
/// with the text and what is valid.
config::Checked<std::vector<Policy>> read_policies(std::string_view list, std::string_view common);

/// Every setting that would scale by something that `app` does not have in a simulation (memory,
/// and CPU unless the model says how much of it a request needs), or to more replicas than it
/// bears.
std::vector<Error> not_simulated(const std::vector<Policy>& policies, const AppModel& app);

}  // namespace bellows::simulator
