// Listening sockets as the kernel lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::sys {

struct TcpListener {
  std::uint64_t inode = 0;
  std::string host;  ///< "127.0.0.1", "[::]"
  std::uint16_t port = 0;
  bool operator==(const TcpListener&) const = default;
};

/// Returns the listening sockets in the text of /proc/net/tcp or /proc/net/tcp6 (proc(5)), or in
/// any whole lines of it. Skips malformed lines. Pure.
std::vector<TcpListener> parse_tcp_listeners(std::string_view table);

}  // namespace bellows::sys
