#include "machine/service/listening_error.hpp"

#include <array>
#include <string>
#include <utility>

namespace bellows::machine {

namespace {

/// An error of a system call, by the name of its errno, and what helps.
struct Cure {
  std::string_view name;
  std::string_view text;
};

constexpr std::array<Cure, 5> kCures = {{
    {"(EADDRINUSE)",
     "the address is in use (`ss -tanp` shows which); set another address, or port 0 for a free "
     "one"},
    {"(EADDRNOTAVAIL)",
     "this machine has no such address (`ip addr` lists those it has); set one of them, or 0.0.0.0 "
     "for all"},
    {"(ENOENT)", "there is no such folder; make it, or set another path"},
    {"(ENOTDIR)", "a part of the path is no folder; set another path"},
    {"(EACCES)",
     "this user may not listen there; set a port of 1024 or more, or a path in a folder of its "
     "own"},
}};

}  // namespace

Error listening_error(Error cause, std::string_view setting) {
  const bool is_of_socket =
      cause.message().starts_with("bind: ") || cause.message().starts_with("listen: ");
  for (const auto& [name, text] : kCures) {
    if (!is_of_socket) break;
    if (cause.message().find(name) == std::string::npos) continue;
    std::string message = "\"" + cause.culprit() + "\": " + std::string(text);
    if (setting == "admin" && name == "(EADDRINUSE)") {
      message += "; `bellows status --admin " + cause.culprit() + "` shows another Bellows there";
    }
    return Error(cause.kind(), "--" + std::string(setting), std::move(message))
        .caused_by(std::move(cause));
  }
  return cause;
}

}  // namespace bellows::machine
