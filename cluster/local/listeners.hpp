// Where the processes of an app listen, and which process listens at a port, from /proc, for the
// messages about an app that does not listen at its port or cannot get it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace bellows::cluster {

/// Returns "127.0.0.1:8000, [::1]:9000": the TCP addresses at which `root` and its descendants
/// listen, at most four. Empty: none, or unreadable. Reads the descriptors of each process:
/// milliseconds.
std::string listening_addresses(pid_t root);

/// Returns the process that listens at the port, on 127.0.0.1 or on all addresses: "nginx (pid
/// 812)", or "a process of another user" whose descriptors this user may not read. nullopt: none
/// does. Reads the descriptors of all processes: milliseconds.
std::optional<std::string> port_owner(std::uint16_t port);

}  // namespace bellows::cluster
