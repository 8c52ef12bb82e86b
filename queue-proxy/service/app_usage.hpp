// Measures the app's use of CPU and memory, and its limits, from its control group or else from
// /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "metrics/replica_reading.hpp"
#include "queue-proxy/core/app_files.hpp"
#include "queue-proxy/service/app_search.hpp"

namespace bellows::queue_proxy {

/// Finds the processes that listen on the app's port and measures them. In a pod it sees them only
/// if the containers share their processes (shareProcessNamespace); otherwise everything stays
/// unknown. It uses the control group, with all processes of the app, if it differs from the
/// queue-proxy's own, else the processes that hold the listening socket. It does a few small reads
/// of /proc and /sys a second. The search begins once the app is ready, and is repeated at the
/// earliest 10 s later if it found none. Owner: the service. Thread: the io thread.
class AppUsage {
 public:
  /// `root` is a prefix of "/proc" and "/sys", for tests.
  explicit AppUsage(std::uint16_t app_port, std::string root = {});

  /// Sets whether to search: an app that is not ready does not listen yet.
  void set_ready(bool is_ready);

  /// Does a step of the search, if one is due or has begun. Returns true if the next step may
  /// follow soon.
  bool search(TimePoint now);

  /// Adds what the kernel measured since the last call. The first call after the app was found has
  /// no CPU time.
  void add_to(metrics::ReplicaReading& reading);

 private:
  struct Totals {
    std::optional<Duration> cpu;
    std::optional<Duration> throttled;
  };

  std::string read(const std::string& path) const;
  bool continue_search();
  void find_group();
  Totals read_group(metrics::ReplicaReading& reading) const;
  Totals read_processes(metrics::ReplicaReading& reading);

  const std::uint16_t app_port_;
  const std::string root_;
  bool is_ready_ = false;
  std::optional<AppSearch> search_;  // while a search runs
  std::vector<pid_t> processes_;
  GroupFolders group_;
  Totals before_;
  std::optional<TimePoint> searched_;
};

}  // namespace bellows::queue_proxy
