// Long calculations in parallel, with a progress line.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

}  // namespace bellows::cli
