// Where the processes of an app listen, from /proc: what to tell the owner of one that does not
// listen where it should.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::cluster {

struct Listener {
  std::uint64_t inode = 0;
  std::string address;  ///< "127.0.0.1:8000", "[::]:8000"
  bool operator==(const Listener&) const = default;
};

/// The listening sockets in the text of /proc/net/tcp or /proc/net/tcp6 (proc(5)); lines that are
/// malformed are left out. Pure.
std::vector<Listener> parse_listeners(std::string_view table);

/// "127.0.0.1:8000, [::1]:9000": where `root` and its descendants listen by TCP, at most four.
/// Empty: nowhere, or it cannot be read. Reads the descriptors of each process: milliseconds.
std::string listening_addresses(pid_t root);

}  // namespace bellows::cluster
