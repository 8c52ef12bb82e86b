// How much room the backlogs of this machine's listening sockets have.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/sys/descriptor.hpp"

namespace bellows::http {

/// Asks the kernel by a netlink socket (sock_diag(7)), about 5 us each time. Not every system
/// answers, which is found out with a listener of its own: one without the module would try to load
/// it each time, which is slow. What is not known is no limit. Owner and thread: one.
class BacklogReader {
 public:
  /// How many more connections the listener at this TCP address takes before its program accepts
  /// one. nullopt: nobody listens there, or it is not known.
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
