// The system calls of the data path, replaceable so that tests can make the n-th one fail.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::http {

/// State of the bytes that were written to a TCP socket.
struct Delivery {
  std::uint64_t acknowledged = 0;  ///< bytes that the peer's system has acknowledged
  int repetitions = 0;             ///< segments retransmitted so far
  int timeouts = 0;                ///< retransmission timeouts since the last acknowledgement
  Duration since_sent{};           ///< since the last segment with bytes, retransmissions included
};

/// Calls on the descriptor of a non-blocking socket; results and errno are those of the system
/// call.
class SocketApi {
 public:
  virtual ~SocketApi() = default;
  virtual ssize_t receive(int fd, void* data, std::size_t size, int flags);
  virtual ssize_t send(int fd, const iovec* parts, std::size_t count);
  virtual int connect(int fd, const sockaddr* address, socklen_t size);
  virtual int accept(int fd, sockaddr* address, socklen_t* size);
  /// Returns the state of a socket that has connected (TCP_INFO), also after its end. Returns
  /// nullopt if it is not TCP.
  virtual std::optional<Delivery> delivery(int fd);
  /// Does what BacklogReader::room() does. Each thread has a reader.
  virtual std::optional<std::size_t> backlog_room(const sockaddr* address);
};

/// Returns the real system calls.
SocketApi& system_sockets();

}  // namespace bellows::http
