// The system calls of the data path, replaceable so that tests can make the n-th one fail.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>

namespace bellows::http {

/// Calls on the descriptor of a non-blocking socket; results and errno as of the system call.
class SocketApi {
 public:
  virtual ~SocketApi() = default;
  virtual ssize_t receive(int fd, void* data, std::size_t size, int flags);
  virtual ssize_t send(int fd, const iovec* parts, std::size_t count);
  virtual int connect(int fd, const sockaddr* address, socklen_t size);
  virtual int accept(int fd, sockaddr* address, socklen_t* size);
};

/// The real ones.
SocketApi& system_sockets();

}  // namespace bellows::http
