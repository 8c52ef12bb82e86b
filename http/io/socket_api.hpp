// The system calls of the data path, replaceable so that tests can make the n-th one fail.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::http {

/// What has become of the bytes that were written to a TCP socket.
struct Delivery {
  std::uint64_t acknowledged = 0;  ///< so many of them by the peer's system
  int repetitions = 0;             ///< segments that were sent again, so far
  int timeouts = 0;                ///< after which one was, since the last acknowledgement
  Duration since_sent{};           ///< since the last segment with bytes, sent again or not
};

/// Calls on the descriptor of a non-blocking socket; results and errno as of the system call.
class SocketApi {
 public:
  virtual ~SocketApi() = default;
  virtual ssize_t receive(int fd, void* data, std::size_t size, int flags);
  virtual ssize_t send(int fd, const iovec* parts, std::size_t count);
  virtual int connect(int fd, const sockaddr* address, socklen_t size);
  virtual int accept(int fd, sockaddr* address, socklen_t* size);
  /// Of a socket that has connected (TCP_INFO), also after its end. nullopt: no TCP socket.
  virtual std::optional<Delivery> delivery(int fd);
  /// See BacklogReader::room(). Each thread has a reader.
  virtual std::optional<std::size_t> backlog_room(const sockaddr* address);
};

/// The real ones.
SocketApi& system_sockets();

}  // namespace bellows::http
