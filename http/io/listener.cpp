#include "http/io/listener.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/sys/log.hpp"
#include "http/io/resolve.hpp"

namespace bellows::http {

namespace {

constexpr int kBacklog = 4096;
constexpr Duration kPause = std::chrono::milliseconds(100);
constexpr int kBurst = 64;  // accepted in a row before the connections get their turn

/// Of a Unix socket: for its owner and whoever shares its group, a web server in front, say.
constexpr mode_t kUnixMode = 0660;

struct BoundSocket {
  UniqueFd socket;
  SocketFile file;
};

Result<BoundSocket> bound_socket(const Endpoint& endpoint, const SocketAddress& address) {
  const std::string culprit = to_string(endpoint);
  if (endpoint.is_unix()) BELLOWS_CHECKED(remove_stale_socket(endpoint));
  BELLOWS_TRY(UniqueFd socket, open_socket(address, culprit));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), address.get(), address.size) != 0) {
    return fail(system_error(culprit, "bind", errno));
  }
  SocketFile file;
  if (endpoint.is_unix()) {
    BELLOWS_TRY(file, SocketFile::take(endpoint, kUnixMode));
  }
  if (::listen(socket.get(), kBacklog) != 0) {
    return fail(system_error(culprit, "listen", errno));
  }
  return BoundSocket{std::move(socket), std::move(file)};
}

Endpoint with_real_port(Endpoint endpoint, int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (!endpoint.is_unix() && ::getsockname(fd, address.get(), &address.size) == 0) {
    endpoint.port = port_of(address);
  }
  return endpoint;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::listen(Reactor& reactor, const Endpoint& endpoint,
                                                   OnAccept on_accept) {
  BELLOWS_TRY(const SocketAddress address, listening_address(endpoint));
  BELLOWS_TRY(BoundSocket bound, bound_socket(endpoint, address));
  Endpoint real = with_real_port(endpoint, bound.socket.get());
  std::unique_ptr<Listener> listener(
      new Listener(reactor, std::move(bound.socket), std::move(real), std::move(on_accept)));
  listener->file_ = std::move(bound.file);
  BELLOWS_CHECKED(reactor.add(listener->socket_.get(), *listener));
  listener->loop_ = listener->accept_loop();
  listener->loop_.start();
  return listener;
}

Listener::Listener(Reactor& reactor, UniqueFd socket, Endpoint endpoint, OnAccept on_accept)
    : reactor_(reactor),
      socket_(std::move(socket)),
      endpoint_(std::move(endpoint)),
      on_accept_(std::move(on_accept)),
      waiter_(reactor) {}

Listener::~Listener() = default;

void Listener::on_events(std::uint32_t /*epoll_events*/) {
  waiter_.wake();
}

void Listener::take_waiting() {
  while (!is_paused_ && accept_one() == Step::kAccepted) {
  }
}

void Listener::set_paused(bool paused) {
  is_paused_ = paused;
  waiter_.wake();
}

Task<void> Listener::accept_loop() {
  for (;;) {
    // Each connection that arrives during a pause wakes the loop: they all wait for its end.
    if (reactor_.now() >= pause_end_) accept_burst();
    co_await waiter_.wait();
  }
}

void Listener::accept_burst() {
  Step step = Step::kNothing;
  for (int i = 0; i < kBurst && !is_paused_; ++i) {
    step = accept_one();
    if (step != Step::kAccepted) break;
    reactor_.look_again();
  }
  if (step == Step::kAccepted && !is_paused_) waiter_.wake();
  if (step != Step::kNoRoom) return;
  pause_end_ = reactor_.now() + kPause;
  waiter_.set_deadline(pause_end_);
}

Listener::Step Listener::out_of_room(int error) {
  ++failures_;
  if (!std::exchange(is_exhausted_, true)) {
    sys::log::warning("cannot accept connections",
                      {{"address", to_string(endpoint_)},
                       {"because", std::strerror(error)}});  // NOLINT: glibc's is safe
  }
  return Step::kNoRoom;
}

Listener::Step Listener::accept_one() {
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  const int fd = reactor_.sockets().accept(socket_.get(), peer.get(), &peer.size);
  if (fd >= 0) {
    UniqueFd socket(fd);
    if (peer.storage.ss_family != AF_UNIX) set_no_delay(fd);
    on_accept_(std::move(socket), peer);
    return Step::kAccepted;
  }
  switch (errno) {
    case EAGAIN:
      is_exhausted_ = false;
      return Step::kNothing;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return out_of_room(errno);
    default:
      return Step::kAccepted;  // that connection is gone (ECONNABORTED and the like): next one
  }
}

}  // namespace bellows::http
