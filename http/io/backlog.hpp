// Reads the free room in the backlogs of this machine's listening sockets.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/sys/descriptor.hpp"

namespace bellows::http {

/// Queries the kernel by a netlink socket (sock_diag(7)), about 5 us per query. It first queries a
/// listener of its own, because not every system answers: a kernel without the module would try to
/// load it on each query, which is slow. An unknown backlog counts as unlimited. Owner and thread:
/// one.
class BacklogReader {
 public:
  /// Returns how many more connections the listener at this TCP address takes before its program
  /// accepts one. Returns nullopt if no socket listens there, or if it is unknown.
  std::optional<std::size_t> room(const sockaddr* address);

 private:
  struct Queue {
    std::uint32_t length;
    std::uint32_t limit;
  };
  std::optional<Queue> queue_of(const sockaddr* address);
  bool ask(const sockaddr* address);
  std::optional<Queue> read_answer();
  bool finds_own_listener();

  sys::Descriptor socket_;
  std::uint32_t asked_ = 0;
  std::optional<bool> is_answered_;
};

}  // namespace bellows::http
