#include "http/io/socket_api.hpp"

namespace bellows::http {

ssize_t SocketApi::receive(int fd, void* data, std::size_t size, int flags) {
  return ::recv(fd, data, size, flags);
}

ssize_t SocketApi::send(int fd, const iovec* parts, std::size_t count) {
  if (count == 1) return ::send(fd, parts->iov_base, parts->iov_len, MSG_NOSIGNAL);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);  // NOLINT: sendmsg only reads them
  message.msg_iovlen = count;
  return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

int SocketApi::connect(int fd, const sockaddr* address, socklen_t size) {
  return ::connect(fd, address, size);
}

int SocketApi::accept(int fd, sockaddr* address, socklen_t* size) {
  return ::accept4(fd, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

SocketApi& system_sockets() {
  static SocketApi api;
  return api;
}

}  // namespace bellows::http
