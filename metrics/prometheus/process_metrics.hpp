// Usage that the kernel reports about this process.
#pragma once

#include <cstdint>

namespace bellows::metrics::prometheus {

/// Numbers from /proc; one that cannot be read is zero.
struct ProcessUsage {
  double resident_memory_bytes = 0;
  double cpu_seconds = 0;         ///< user and system time since the start
  double open_fds = 0;            ///< open descriptors
  double start_time_seconds = 0;  ///< calendar time, since 1970
};

ProcessUsage read_process_usage();

}  // namespace bellows::metrics::prometheus
