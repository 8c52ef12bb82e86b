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
#include "queue-proxy/service/app_search.hpp"

namespace bellows::queue_proxy {

/// Finds the processes that listen on the app's port and reads what they use. In a pod it sees them
/// only if the containers share their processes (shareProcessNamespace); otherwise everything stays
/// unknown. The control group counts if it is not the queue-proxy's own; then all processes of the
/// app count, else those that hold the listening socket. Owner: the service. Thread: the io
/// thread. A few small reads of /proc and /sys a second. The search begins once the app is ready,
/// and again 10 s later at the earliest if it found none.
class AppUsage {
 public:
  /// `root` is put before "/proc" and "/sys": a test has its own.
  explicit AppUsage(std::uint16_t app_port, std::string root = {});

  /// An app that is not ready is not looked for: it does not listen yet.
  void set_ready(bool is_ready);

  /// A step of the search, if one is due or under way. True: the next step may follow soon.
  bool search(TimePoint now);

  /// Fills in what the kernel measured since the last call. The first call after the app was found
  /// has no CPU time.
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
  std::optional<AppSearch> search_;  // under way
  std::vector<pid_t> processes_;
  GroupFolders group_;
  Totals before_;
  std::optional<TimePoint> searched_;
};

}  // namespace bellows::queue_proxy
