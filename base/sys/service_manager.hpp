// The service manager that started this process: the sockets it passes, and the states reported to
// it.
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
  std::string name;  ///< FileDescriptorName= of the socket unit, by default the unit's name
  Descriptor socket;
};

/// Reads $LISTEN_PID, $LISTEN_FDS and $LISTEN_FDNAMES (sd_listen_fds(3)) and removes them, so that
/// no child takes the sockets for its own; no child inherits the sockets either. Returns an empty
/// list if there are none for this process. The error names the variable. Call it once, before
/// threads start.
Result<std::vector<PassedSocket>> take_passed_sockets();

/// The numbers and names in the variables' values. They are empty if the variables are meant for a
/// process other than `self`. Pure.
struct PassedNumbers {
  int count = 0;
  std::vector<std::string> names;  ///< one per number
};
Result<PassedNumbers> read_passed_numbers(std::string_view listen_pid, std::string_view listen_fds,
                                          std::string_view listen_names, long self);

/// Reports states to the service manager by datagrams to $NOTIFY_SOCKET (sd_notify(3)). Without a
/// manager it sends nothing; a manager that has ended is no error. Owner: the program. Thread: any,
/// one at a time.
class ServiceManager {
 public:
  /// Reports to no manager.
  ServiceManager() = default;
  /// Reads the variable and removes it, so that no child reports for this process. Call it once,
  /// before threads start.
  static ServiceManager from_environment();
  /// `path` is the path of the socket; a leading @ makes it an abstract name.
  explicit ServiceManager(std::string path) : path_(std::move(path)) {}

  /// Reports that the program serves.
  void ready() const;
  /// Reports that the program reloads its settings, until the next ready(). `now` is on the
  /// monotonic clock.
  void reloading(TimePoint now) const;
  /// Reports that the program stops and needs `at_most` for that. The manager then waits that long
  /// even if TimeoutStopSec= is shorter.
  void stopping(Duration at_most) const;

 private:
  void send(const std::string& message) const;

  std::string path_;  // empty: reports to no manager
};

}  // namespace bellows::sys
