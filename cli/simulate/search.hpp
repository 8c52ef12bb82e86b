// The search for the settings that cost least on a log.
#pragma once

#include <string>
#include <vector>

#include "simulator/policy.hpp"
#include "simulator/what_if.hpp"
#include "simulator/workload.hpp"

namespace bellows::cli {

struct SearchResult {
  simulator::WhatIf tried;
  std::vector<simulator::Policy> best_and_always_on;
};

/// Tries numbers of replicas to keep first, then targets with the best of them. `common` has
/// settings of all policies, and `usual` is bellows with them; settings that contradict them are
/// not tried.
SearchResult search_settings(const simulator::Workload& workload, const simulator::Policy& usual,
                             const std::string& common);

}  // namespace bellows::cli
