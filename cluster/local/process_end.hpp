// How a child process ended, and the lines in which a replica-keeper tells it. Pure.
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
    kKilled,      ///< by the signal called `name`
    kNotStarted,  ///< exec failed with the errno called `name`
    kLost,        ///< its keeper was killed, and it with it
  };
  How how = How::kLost;
  int code = 0;
  std::string name;

  bool operator==(const ProcessEnd&) const = default;
};

/// Completes "the app ...": "exited with code 1", "was killed by SIGSEGV".
std::string to_string(const ProcessEnd& end);

struct ProcessStarted {
  pid_t pid = 0;
  bool operator==(const ProcessStarted&) const = default;
};

/// It runs outside of a control group that it was to enter.
struct ProcessUngrouped {
  std::string reason;  ///< the errno's name
  bool operator==(const ProcessUngrouped&) const = default;
};

/// One line of a keeper's status pipe; nullopt for one that no keeper writes.
using KeeperEvent = std::variant<ProcessStarted, ProcessUngrouped, ProcessEnd>;
std::optional<KeeperEvent> parse_keeper_line(std::string_view line);

}  // namespace bellows::cluster
