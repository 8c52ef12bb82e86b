#include "cli/simulate/search.hpp"

#include <utility>

#include "base/check.hpp"
#include "cli/simulate/jobs.hpp"

namespace bellows::cli {
namespace {

using simulator::Candidate;
using simulator::Policy;

/// Simulates `candidates`, and adds those that `common` allows to `tried`.
void try_each(const simulator::Workload& workload, const simulator::LoadProfile& profile,
              const std::string& common, std::vector<Candidate> candidates,
              simulator::WhatIf& tried) {
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
    tried.tried.push_back(std::move(allowed[i]));
  }
}

Policy policy_of(const std::string& text, const std::string& common) {
  auto policies = simulator::read_policies(text, common);
  CHECK(policies.has_value(), "settings that override a valid one are valid");
  return std::move(policies->front());
}

}  // namespace

SearchResult search_settings(const simulator::Workload& workload, const std::string& common) {
  const simulator::LoadProfile profile = profile_with_progress(workload);
  const Policy usual = policy_of("bellows", common);
  const simulator::Demand demand(profile, workload.app, usual.settings);
  const std::string number = std::to_string(simulator::always_on_replicas(demand, profile));
  Policy always_on = policy_of(
      "bellows:min-scale=" + number + ":max-scale=" + number + ":initial-scale=" + number, common);
  SearchResult result;
  simulator::WhatIf& tried = result.tried;
  tried.slots = demand.size();
  tried.full_by = demand.full_by();
  tried.added_wait = simulator::wait_that_may_be_added(workload);
  tried.always_on = simulate_all(workload, profile, {always_on}).front();
  std::vector<Candidate> keep;
  for (const PodCount replicas : simulator::replicas_to_keep(demand)) {
    keep.push_back({.keep = replicas});
  }
  try_each(workload, profile, common, std::move(keep), tried);
  try_each(workload, profile, common, simulator::with_targets(tried.best().keep), tried);
  result.best_and_always_on = {policy_of(tried.best().policy(), common), std::move(always_on)};
  return result;
}

}  // namespace bellows::cli
