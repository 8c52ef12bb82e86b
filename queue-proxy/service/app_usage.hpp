// What the app uses of CPU and memory, and its limits: from its control group, else from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "metrics/replica_reading.hpp"
#include "queue-proxy/core/app_files.hpp"

namespace bellows::queue_proxy {

/// Finds the processes that listen on the app's port and reads what they use. In a pod it sees them
/// only if the containers share their processes (shareProcessNamespace); otherwise everything stays
/// unknown. The control group counts if it is not the queue-proxy's own; then all processes of the
/// app count, else those that hold the listening socket. Owner: the reporter. Thread: the io
/// thread. A few small reads of /proc and /sys a second; the search goes through all processes, and
/// is repeated after 10 s at the earliest while it finds none.
class AppUsage {
 public:
  /// `root` is put before "/proc" and "/sys": a test has its own.
  explicit AppUsage(std::uint16_t app_port, std::string root = {});

  /// Fills in what the kernel measured since the last call. The first call after the app was found
  /// has no CPU time.
  void add_to(metrics::ReplicaReading& reading, TimePoint now);

 private:
  struct Totals {
    std::optional<Duration> cpu;
    std::optional<Duration> throttled;
  };

  template <class F>
  void read_parts(const std::string& path, F has_enough) const;
  std::string read(const std::string& path) const;
  std::vector<std::uint64_t> listening(const std::string& path) const;
  void search(TimePoint now);
  std::vector<pid_t> holders(const std::vector<std::uint64_t>& inodes) const;
  Totals read_group(metrics::ReplicaReading& reading) const;
  Totals read_processes(metrics::ReplicaReading& reading);

  const std::uint16_t app_port_;
  const std::string root_;
  std::vector<pid_t> processes_;
  GroupFolders group_;
  Totals before_;
  std::optional<TimePoint> searched_;
};

}  // namespace bellows::queue_proxy
