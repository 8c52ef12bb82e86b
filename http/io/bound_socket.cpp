#include "http/io/bound_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "http/io/resolve.hpp"

namespace bellows::http {

namespace {

constexpr int kBacklog = 4096;

Endpoint with_real_port(Endpoint endpoint, int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (!endpoint.is_unix() && ::getsockname(fd, address.get(), &address.size) == 0) {
    endpoint.port = port_of(address);
  }
  return endpoint;
}

}  // namespace

Result<BoundSocket> bind_and_listen(const Endpoint& endpoint, mode_t unix_mode) {
  BELLOWS_TRY(const SocketAddress address, listening_address(endpoint));
  const std::string culprit = to_string(endpoint);
  if (endpoint.is_unix()) BELLOWS_CHECKED(remove_stale_socket(endpoint));
  BELLOWS_TRY(sys::Descriptor socket, open_socket(address, culprit));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), address.get(), address.size) != 0) {
    return fail(system_error(culprit, "bind", errno));
  }
  SocketFile file;
  if (endpoint.is_unix()) {
    BELLOWS_TRY(file, SocketFile::take(endpoint, unix_mode));
  }
  if (::listen(socket.get(), kBacklog) != 0) {
    return fail(system_error(culprit, "listen", errno));
  }
  Endpoint real = with_real_port(endpoint, socket.get());
  return BoundSocket{std::move(socket), std::move(real), std::move(file)};
}

Result<BoundSocket> take_over(sys::Descriptor socket, std::string_view culprit) {
  const int fd = socket.get();
  int is_listening = 0;
  socklen_t size = sizeof is_listening;
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0 ||
      ::getsockname(fd, address.get(), &address.size) != 0) {
    return fail(system_error(std::string(culprit), "descriptor " + std::to_string(fd), errno));
  }
  if (is_listening == 0) {
    return fail(ErrorKind::kInvalidSetting, std::string(culprit),
                "descriptor " + std::to_string(fd) + ": want a stream socket that listens");
  }
  BELLOWS_TRY(Endpoint endpoint, endpoint_of(address));
  if (::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) {
    return fail(system_error(std::string(culprit), "fcntl", errno));
  }
  return BoundSocket{std::move(socket), std::move(endpoint), SocketFile(), true};
}

}  // namespace bellows::http
