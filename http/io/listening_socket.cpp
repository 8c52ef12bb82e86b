#include "http/io/listening_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace bellows::http {

namespace {

using Address = net::generic::stream_protocol::endpoint;

Result<Address> address_of(net::io_context& io, const Endpoint& endpoint) {
  if (endpoint.is_unix()) {
    constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;
    if (endpoint.unix_path.size() > kLongestPath) {
      return fail(
          ErrorKind::kInvalidSetting, to_string(endpoint),
          "the path of a Unix socket has at most " + std::to_string(kLongestPath) + " bytes");
    }
    return Address(net::local::stream_protocol::endpoint(endpoint.unix_path));
  }
  boost::system::error_code error;
  const auto literal = net::ip::make_address(endpoint.host, error);
  if (!error) return Address(net::ip::tcp::endpoint(literal, endpoint.port));
  net::ip::basic_resolver<net::ip::tcp, Executor> resolver(io);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port),
                                      net::ip::tcp::resolver::passive, error);
  if (error) return fail(net_error(to_string(endpoint), "listen", error));
  return Address(found.begin()->endpoint());
}

/// Whether somebody accepts connections on this Unix socket file.
bool is_live(const Address& address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const int result = ::connect(probe, address.data(), static_cast<socklen_t>(address.size()));
  const bool is_refused = result != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !is_refused;
}

Result<void> remove_stale_file(const Endpoint& endpoint, const Address& address) {
  struct stat file {};
  if (::lstat(endpoint.unix_path.c_str(), &file) != 0) return {};
  if (!S_ISSOCK(file.st_mode)) {
    return fail(ErrorKind::kConflict, to_string(endpoint),
                "a file that is not a socket is in the way; remove it or choose another path");
  }
  if (is_live(address)) {
    return fail(ErrorKind::kConflict, to_string(endpoint),
                "another process listens there; stop it or choose another path");
  }
  if (::unlink(endpoint.unix_path.c_str()) != 0 && errno != ENOENT)
    return fail(system_error(to_string(endpoint), "remove the stale socket", errno));
  return {};
}

/// bind() and listen(); the errno of what failed, or 0.
int bind_and_listen(int socket, const Endpoint& endpoint, const Address& address,
                    mode_t unix_mode) {
  if (!endpoint.is_unix()) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (::bind(socket, address.data(), static_cast<socklen_t>(address.size())) != 0) return errno;
  // Before listen() every connect is refused, so nobody gets in under the umask's mode.
  if (endpoint.is_unix() && ::chmod(endpoint.unix_path.c_str(), unix_mode) != 0) return errno;
  if (::listen(socket, SOMAXCONN) != 0) return errno;
  return 0;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(net::io_context& io, const Endpoint& endpoint,
                                              mode_t unix_mode) {
  BELLOWS_TRY(const Address address, address_of(io, endpoint));
  if (endpoint.is_unix()) BELLOWS_CHECKED(remove_stale_file(endpoint, address));
  const int family = address.protocol().family();
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return fail(system_error(to_string(endpoint), "listen", errno));
  if (const int failed = bind_and_listen(socket, endpoint, address, unix_mode); failed != 0) {
    ::close(socket);
    return fail(system_error(to_string(endpoint), "listen", failed));
  }
  Acceptor acceptor(io);
  boost::system::error_code error;
  acceptor.assign(address.protocol(), socket, error);
  if (error) {
    ::close(socket);
    return fail(net_error(to_string(endpoint), "listen", error));
  }
  return ListeningSocket(std::move(acceptor), endpoint);
}

ListeningSocket::ListeningSocket(Acceptor acceptor, Endpoint endpoint)
    : acceptor_(std::move(acceptor)), endpoint_(std::move(endpoint)) {
  if (endpoint_.is_unix()) {
    struct stat file {};
    if (::lstat(endpoint_.unix_path.c_str(), &file) == 0) file_ = file.st_ino;
    return;
  }
  net::ip::tcp::endpoint bound;
  auto size = static_cast<socklen_t>(bound.capacity());
  if (::getsockname(acceptor_.native_handle(), bound.data(), &size) == 0)
    endpoint_.port = bound.port();
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : acceptor_(std::move(other.acceptor_)),
      endpoint_(std::move(other.endpoint_)),
      file_(std::exchange(other.file_, 0)) {}

ListeningSocket::~ListeningSocket() {
  close();
}

void ListeningSocket::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  struct stat file {};
  const ino_t mine = std::exchange(file_, 0);
  if (mine != 0 && ::lstat(endpoint_.unix_path.c_str(), &file) == 0 && file.st_ino == mine)
    ::unlink(endpoint_.unix_path.c_str());
}

}  // namespace bellows::http
