// Where the processes of an app listen, from /proc: what to tell the owner of one that does not
// listen where it should.
#pragma once

#include <sys/types.h>

#include <string>

namespace bellows::cluster {

/// "127.0.0.1:8000, [::1]:9000": where `root` and its descendants listen by TCP, at most four.
/// Empty: nowhere, or it cannot be read. Reads the descriptors of each process: milliseconds.
std::string listening_addresses(pid_t root);

}  // namespace bellows::cluster
