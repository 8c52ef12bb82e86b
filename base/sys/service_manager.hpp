// The service manager that started this process: the sockets it passes, and what it is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
#include "base/time.hpp"

namespace bellows::sys {

/// A listening socket that this process has inherited.
struct PassedSocket {
  std::string name;  ///< FileDescriptorName= of the socket unit, else the unit's own name
  Descriptor socket;
};

/// Reads $LISTEN_PID, $LISTEN_FDS and $LISTEN_FDNAMES (sd_listen_fds(3)) and removes them, so that
/// no child takes the sockets for its own; none inherits them either. Empty if there are none for
/// this process. The error names the variable. Call it once, before threads are started.
Result<std::vector<PassedSocket>> take_passed_sockets();

/// The numbers and names in the variables' values. Pure; empty: not for the process `self`.
struct PassedNumbers {
  int count = 0;
  std::vector<std::string> names;  ///< as many
};
Result<PassedNumbers> read_passed_numbers(std::string_view listen_pid, std::string_view listen_fds,
                                          std::string_view listen_names, long self);

/// Tells the manager by datagrams to $NOTIFY_SOCKET (sd_notify(3)). Without a manager that listens
/// nothing is sent; one that has gone is no error. Owner: the program. Thread: any, one at a time.
class ServiceManager {
 public:
  /// Nobody is told.
  ServiceManager() = default;
  /// Removes the variable, so that no child reports for this process. Once, before threads.
  static ServiceManager from_environment();
  /// `path`: of the socket; with @ in front it is an abstract name.
  explicit ServiceManager(std::string path) : path_(std::move(path)) {}

  /// It serves.
  void ready() const;
  /// It reads its settings again; ready() ends that. `now`: of the monotonic clock.
  void reloading(TimePoint now) const;
  /// It is ending and needs `at_most` for that: the manager waits longer than TimeoutStopSec= if
  /// that is less.
  void stopping(Duration at_most) const;

 private:
  void send(const std::string& message) const;

  std::string path_;  // empty: nobody
};

}  // namespace bellows::sys
