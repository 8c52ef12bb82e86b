// Policies to compare: a profile, and what is set differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/revision_settings.hpp"
#include "config/schema.hpp"

namespace bellows::simulator {

struct Policy {
  std::string name;  ///< as written: "bellows:headroom-factor=3"
  config::RevisionSettings settings;
};

/// `list`: policies separated by commas; each a profile, then settings behind colons:
/// "bellows,knative,bellows:headroom-factor=3:window=30s". `common`: settings of all of them,
/// "container-concurrency=20,max-scale=50"; a policy's own win. Below both lies what a simulation
/// starts from: container-concurrency 10. Every mistake, with the text and what is legal.
config::Checked<std::vector<Policy>> read_policies(std::string_view list, std::string_view common);

}  // namespace bellows::simulator
