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
/// settings of all policies and is valid; settings that contradict it are not tried.
SearchResult search_settings(const simulator::Workload& workload, const std::string& common);

}  // namespace bellows::cli
