// Long calculations in parallel, with a progress line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/load_profile.hpp"
#include "simulator/outcome.hpp"
#include "simulator/policy.hpp"
#include "simulator/workload.hpp"

namespace bellows::cli {

/// One calculation. It calls its argument with its progress and shares no data that it writes.
struct Job {
  std::string name;
  std::function<void(const simulator::Progress&)> run;
};

/// Runs all jobs, as many in parallel as there are cores, and returns when the last one is done.
/// After two seconds it shows the progress on standard error, if that is a terminal.
void run_jobs(const std::vector<Job>& jobs);

simulator::LoadProfile profile_with_progress(const simulator::Workload& workload);

/// Simulates each policy; the outcomes are in the order of `policies`.
std::vector<simulator::Outcome> simulate_all(const simulator::Workload& workload,
                                             const simulator::LoadProfile& profile,
                                             const std::vector<simulator::Policy>& policies);

}  // namespace bellows::cli
