// Long calculations side by side, with a line that says how far they are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/workload.hpp"

namespace bellows::cli {

/// One calculation; it reports how much of it is done. It shares nothing that it writes.
struct Job {
  std::string name;
  std::function<void(const simulator::Progress&)> run;
};

/// Runs all of them, as many at once as there are cores, and returns when the last is done. After
/// two seconds a line on standard error tells how much is done, if that is a terminal.
void run_jobs(const std::vector<Job>& jobs);

}  // namespace bellows::cli
