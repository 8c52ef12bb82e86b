// The end of a child process, and the status lines of a replica-shim. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace bellows::cluster {

struct ProcessEnd {
  enum class How : std::uint8_t {
    kExited,      ///< by itself, with `code`
    kKilled,      ///< by the signal `name`
    kNotStarted,  ///< exec failed with the errno `name`; exec_problem() says more
    kPortTaken,   ///< another process has the port `code`, so it was not started
    kLost,        ///< its shim was killed, so it was killed too
  };
  How how = How::kLost;
  int code = 0;
  std::string name;
  bool is_of_start = false;  ///< of the command that was to start the app and end

  bool operator==(const ProcessEnd&) const = default;
};

/// Completes "the app ...": "exited with code 1", "was killed by SIGSEGV".
std::string to_string(const ProcessEnd& end);

struct ProcessStarted {
  pid_t pid = 0;
  bool operator==(const ProcessStarted&) const = default;
};

/// The command could not enter a control group and runs outside of it.
struct ProcessUngrouped {
  std::string reason;  ///< the errno's name
  bool operator==(const ProcessUngrouped&) const = default;
};

/// The start command has ended, and with it the start.
struct ProcessLaunched {
  bool operator==(const ProcessLaunched&) const = default;
};

/// The stop command has ended.
struct ProcessStopped {
  ProcessEnd end;
  bool operator==(const ProcessStopped&) const = default;
};

/// Parses one line of a shim's status pipe; nullopt: malformed.
using ShimEvent =
    std::variant<ProcessStarted, ProcessUngrouped, ProcessLaunched, ProcessStopped, ProcessEnd>;
std::optional<ShimEvent> parse_shim_line(std::string_view line);

}  // namespace bellows::cluster
