#include "http/io/listening_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "http/io/resolve.hpp"

namespace bellows::http {

namespace {

using Address = net::generic::stream_protocol::endpoint;

Result<SocketFile> bind_and_listen(int socket, const Endpoint& endpoint, const Address& address,
                                   mode_t unix_mode) {
  const auto failed = [&] { return fail(system_error(to_string(endpoint), "listen", errno)); };
  if (!endpoint.is_unix()) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (::bind(socket, address.data(), static_cast<socklen_t>(address.size())) != 0) return failed();
  SocketFile file;
  if (endpoint.is_unix()) {
    BELLOWS_TRY(file, SocketFile::take(endpoint, unix_mode));
  }
  if (::listen(socket, SOMAXCONN) != 0) return failed();
  return file;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(net::io_context& io, const Endpoint& endpoint,
                                              mode_t unix_mode) {
  BELLOWS_TRY(const SocketAddress found, listening_address(endpoint));
  const Address address(found.get(), found.size);
  if (endpoint.is_unix()) BELLOWS_CHECKED(remove_stale_socket(endpoint));
  const int family = address.protocol().family();
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return fail(system_error(to_string(endpoint), "listen", errno));
  auto file = bind_and_listen(socket, endpoint, address, unix_mode);
  if (!file) {
    ::close(socket);
    return fail(std::move(file).error());
  }
  Acceptor acceptor(io);
  boost::system::error_code error;
  acceptor.assign(address.protocol(), socket, error);
  if (error) {
    ::close(socket);
    return fail(net_error(to_string(endpoint), "listen", error));
  }
  return ListeningSocket(std::move(acceptor), endpoint, std::move(*file));
}

ListeningSocket::ListeningSocket(Acceptor acceptor, Endpoint endpoint, SocketFile file)
    : acceptor_(std::move(acceptor)), endpoint_(std::move(endpoint)), file_(std::move(file)) {
  if (endpoint_.is_unix()) return;
  net::ip::tcp::endpoint bound;
  auto size = static_cast<socklen_t>(bound.capacity());
  if (::getsockname(acceptor_.native_handle(), bound.data(), &size) == 0)
    endpoint_.port = bound.port();
}

ListeningSocket::~ListeningSocket() {
  close();
}

void ListeningSocket::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  file_.remove();
}

}  // namespace bellows::http
