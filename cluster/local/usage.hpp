// CPU and memory of processes, from /proc.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// The totals of a process tree.
struct ProcessTotals {
  Duration cpu{};  ///< user and system time, of ended children too
  Bytes memory;    ///< resident; shared pages count once per process
  bool operator==(const ProcessTotals&) const = default;
};
ProcessTotals operator+(const ProcessTotals& a, const ProcessTotals& b);

/// Parses /proc/PID/stat of one process (proc(5)). nullopt: malformed. Pure.
std::optional<ProcessTotals> parse_proc_stat(std::string_view text);

/// Returns `root` and all its descendants, without those that end during the call.
std::vector<pid_t> process_tree(pid_t root);

/// Reads the totals of `root` and all its descendants, without processes that end during the call.
ProcessTotals read_process_tree(pid_t root);

/// Turns totals into a rate. Pure.
class UsageMeter {
 public:
  /// Returns the usage since the previous sample; nullopt for the first one. The usage is zero if
  /// the total CPU time has decreased, because a process ended that nobody waited for.
  std::optional<Usage> sample(const ProcessTotals& totals, TimePoint now);

  /// Makes the next sample a first one: the processes were replaced.
  void reset() { last_.reset(); }

 private:
  struct Sample {
    TimePoint at;
    Duration cpu;
  };
  std::optional<Sample> last_;
};

}  // namespace bellows::cluster
