// Where the processes of an app listen, from /proc, for the message about an app that does not
// listen at its port.
#pragma once

#include <sys/types.h>

#include <string>

namespace bellows::cluster {

/// Returns "127.0.0.1:8000, [::1]:9000": the TCP addresses at which `root` and its descendants
/// listen, at most four. Empty: none, or unreadable. Reads the descriptors of each process:
/// milliseconds.
std::string listening_addresses(pid_t root);

}  // namespace bellows::cluster
