#include "cli/simulate/search.hpp"

#include <utility>

#include "cli/simulate/jobs.hpp"

namespace bellows::cli {
namespace {

using simulator::Candidate;
using simulator::Policy;

struct Search {
  simulator::WhatIf tried;
  std::vector<Policy> policies;  ///< of each that is tried
};

/// Simulates `candidates`, and adds those that `common` allows to `search`.
void try_each(const simulator::Workload& workload, const simulator::LoadProfile& profile,
              const std::string& common, std::vector<Candidate> candidates, Search& search) {
  std::vector<Policy> policies;
  std::vector<Candidate> allowed;
  for (Candidate& candidate : candidates) {
    auto policy = simulator::read_policies(candidate.policy(), common);
    if (!policy) continue;
    policies.push_back(std::move(policy->front()));
    allowed.push_back(std::move(candidate));
  }
  std::vector<simulator::Outcome> outcomes = simulate_all(workload, profile, policies);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i].outcome = std::move(outcomes[i]);
    search.tried.tried.push_back(std::move(allowed[i]));
    search.policies.push_back(std::move(policies[i]));
  }
}

}  // namespace

SearchResult search_settings(const simulator::Workload& workload, const Policy& usual,
                             const std::string& common) {
  const simulator::LoadProfile profile = profile_with_progress(workload);
  const simulator::Demand demand(profile, workload.app, usual.settings);
  Policy always_on = simulator::always_on(usual, simulator::always_on_replicas(demand, profile));
  Search search;
  simulator::WhatIf& tried = search.tried;
  tried.slots = demand.size();
  tried.full_by = demand.full_by();
  tried.added_wait = simulator::wait_that_may_be_added(workload);
  tried.always_on = simulate_all(workload, profile, {always_on}).front();
  std::vector<Candidate> keep;
  for (const PodCount replicas : simulator::replicas_to_keep(demand)) {
    keep.push_back({.keep = replicas});
  }
  try_each(workload, profile, common, std::move(keep), search);
  try_each(workload, profile, common, simulator::with_targets(tried.best().keep), search);
  Policy best = search.policies[static_cast<std::size_t>(&tried.best() - tried.tried.data())];
  return {.tried = std::move(search.tried),
          .best_and_always_on = {std::move(best), std::move(always_on)}};
}

}  // namespace bellows::cli
