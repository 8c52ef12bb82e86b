#include "http/io/listener.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::http {

namespace {

constexpr Duration kPause = std::chrono::milliseconds(100);

}  // namespace

Result<std::unique_ptr<Listener>> Listener::listen(Reactor& reactor, const Endpoint& endpoint,
                                                   OnAccept on_accept, mode_t unix_mode) {
  BELLOWS_TRY(BoundSocket bound, bind_and_listen(endpoint, unix_mode));
  return listen(reactor, std::move(bound), std::move(on_accept));
}

Result<std::unique_ptr<Listener>> Listener::listen(Reactor& reactor, BoundSocket bound,
                                                   OnAccept on_accept) {
  std::unique_ptr<Listener> listener(new Listener(reactor, std::move(bound), std::move(on_accept)));
  BELLOWS_CHECKED(reactor.add(listener->bound_.socket.get(), *listener));
  listener->loop_ = listener->accept_loop();
  listener->loop_.start();
  return listener;
}

Listener::Listener(Reactor& reactor, BoundSocket bound, OnAccept on_accept)
    : reactor_(reactor),
      bound_(std::move(bound)),
      on_accept_(std::move(on_accept)),
      waiter_(reactor) {}

/// Removes the registration explicitly, because closing the descriptor does not end the events of a
/// shared socket.
Listener::~Listener() {
  reactor_.remove(bound_.socket.get());
}

void Listener::on_events(std::uint32_t /*epoll_events*/) {
  waiter_.wake_last();
}

void Listener::accept_pending() {
  while (!is_paused_ && !is_left_ && accept_one() == Step::kAccepted) {
  }
}

void Listener::leave_to_others() {
  is_left_ = bound_.is_shared;
}

void Listener::keep_spare(std::size_t connections) {
  spare_.emplace(connections);
}

void Listener::restore_spare() {
  if (spare_) spare_->restore();
}

void Listener::set_paused(bool paused) {
  is_paused_ = paused;
  waiter_.wake();
}

Task<void> Listener::accept_loop() {
  for (;;) {
    // Each connection that arrives during a pause wakes the loop; all wait for the end of the
    // pause.
    if (reactor_.now() >= pause_end_) accept_next();
    co_await waiter_.wait();
  }
}

/// Accepts one connection. Further ones that connect at the same time are accepted after open
/// connections had a turn.
void Listener::accept_next() {
  if (is_paused_ || is_left_) return;
  const Step step = accept_one();
  if (step == Step::kAccepted) {
    reactor_.poll_again();
    return waiter_.wake_last();
  }
  if (step != Step::kNoRoom) return;
  pause_end_ = reactor_.now() + kPause;
  waiter_.set_deadline(pause_end_);
}

bool Listener::has_pending() const {
  pollfd pending{.fd = bound_.socket.get(), .events = POLLIN, .revents = 0};
  return ::poll(&pending, 1, 0) > 0;
}

Listener::Step Listener::out_of_room(int error) {
  ++failures_;
  if (!std::exchange(is_exhausted_, true)) {
    sys::log::warning("cannot accept connections",
                      {{"address", to_string(bound_.endpoint)},
                       {"because", std::strerror(error)}});  // NOLINT: glibc's is safe
  }
  return Step::kNoRoom;
}

Listener::Step Listener::accept_one() {
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  const int fd = reactor_.sockets().accept(bound_.socket.get(), peer.get(), &peer.size);
  if (fd >= 0) {
    sys::Descriptor socket(fd);
    if (!peer.is_unix()) set_no_delay(fd);
    on_accept_(std::move(socket), peer);
    return Step::kAccepted;
  }
  const int error = errno;
  switch (error) {
    case EAGAIN:
      is_exhausted_ = false;
      return Step::kNothing;
    case EMFILE:
    case ENFILE:
      // The system allocates a descriptor first, even if no connection waits.
      if (!has_pending()) return Step::kNothing;
      return spare_ && spare_->spend() ? accept_one() : out_of_room(error);
    case ENOBUFS:
    case ENOMEM:
      return out_of_room(error);
    default:
      return Step::kAccepted;  // that connection has ended (ECONNABORTED and similar): next one
  }
}

}  // namespace bellows::http
