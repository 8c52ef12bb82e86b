// What processes use, from /proc.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "cluster/api.hpp"

namespace bellows::cluster {

/// Of a process and everything below it.
struct ProcessTotals {
  Duration cpu{};  ///< user and system time since each started, ended children included
  Bytes memory;    ///< resident; pages that processes share count for each
  bool operator==(const ProcessTotals&) const = default;
};
ProcessTotals operator+(const ProcessTotals& a, const ProcessTotals& b);

/// One process from the text of its /proc/PID/stat (proc(5)). nullopt: not such a text. Pure.
std::optional<ProcessTotals> parse_proc_stat(std::string_view text);

/// `root` and all its descendants right now; what ends while it is read is left out.
ProcessTotals read_process_tree(pid_t root);

/// Turns totals into a rate. Pure.
class UsageMeter {
 public:
  /// The use since the sample before; nullopt for the first one. Time that went missing (a process
  /// nobody waited for) counts as none used.
  std::optional<Usage> sample(const ProcessTotals& totals, TimePoint now);

  /// The processes are others from now on.
  void reset() { last_.reset(); }

 private:
  struct Sample {
    TimePoint at;
    Duration cpu;
  };
  std::optional<Sample> last_;
};

}  // namespace bellows::cluster
