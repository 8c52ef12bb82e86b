#include "http/io/socket_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <cerrno>

#include "http/io/address.hpp"

namespace bellows::http {

namespace {

IoResult failed(int error) {
  return IoResult::failed(error);
}

// The first bytes of a connection over loopback count as lost after so many retransmissions, the
// last of them so long ago: an acknowledgement takes microseconds.
constexpr int kRepetitions = 2;
constexpr Duration kAnswerTime = std::chrono::milliseconds(50);

/// Makes the system end the connection at its next timeout instead of retransmitting once more.
/// This has an effect only after a first timeout.
void set_no_repetition(int fd, bool is_on) {
  const unsigned milliseconds = is_on ? 1 : 0;
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

SocketConnection::SocketConnection(Reactor& reactor, sys::Descriptor socket)
    : reactor_(reactor), socket_(std::move(socket)) {
  // Without room in the epoll set (ENOSPC) the connection cannot be used, so it appears closed.
  if (socket_.is_open() && !reactor_.add(socket_.get(), *this)) socket_.close();
}

SocketConnection::~SocketConnection() {
  close();
}

void SocketConnection::on_events(std::uint32_t epoll_events) {
  if ((epoll_events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) readable_ = true;
  if ((epoll_events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) writable_ = true;
  if ((epoll_events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) peer_has_closed_ = true;
  if ((epoll_events & EPOLLERR) != 0) was_reset_ = true;
  wake();
}

IoResult SocketConnection::try_read(char* data, std::size_t size) {
  if (!readable_) return {};
  for (;;) {
    const ssize_t got = reactor_.sockets().receive(socket_.get(), data, size, 0);
    if (got > 0) {
      // A short read has emptied the socket: further bytes come with another event. No further
      // event comes once the peer has closed.
      readable_ = static_cast<std::size_t>(got) == size || peer_has_closed_;
      return {IoResult::Kind::kBytes, static_cast<std::size_t>(got), 0};
    }
    if (got == 0) return {IoResult::Kind::kEnd, 0, 0};
    if (errno == EINTR) continue;
    if (!would_block(errno)) return failed(errno);
    readable_ = false;
    return {};
  }
}

IoResult SocketConnection::try_write(const iovec* parts, std::size_t count) {
  if (!writable_) return {};
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < count; ++i) wanted += parts[i].iov_len;
  for (;;) {
    const ssize_t sent = reactor_.sockets().send(socket_.get(), parts, count);
    if (sent >= 0) {
      writable_ = static_cast<std::size_t>(sent) == wanted;
      written_ += static_cast<std::size_t>(sent);
      return {IoResult::Kind::kBytes, static_cast<std::size_t>(sent), 0};
    }
    if (errno == EINTR) continue;
    if (!would_block(errno)) {
      readable_ = true;  // earlier bytes of the peer can still be read, then the end
      return failed(errno);
    }
    writable_ = false;
    return {};
  }
}

bool SocketConnection::is_idle() {
  if (!socket_.is_open() || peer_has_closed_) return false;
  char byte = 0;
  const ssize_t got = reactor_.sockets().receive(socket_.get(), &byte, 1, MSG_PEEK);
  return got < 0 && would_block(errno);
}

bool SocketConnection::may_have_delivered(std::uint64_t before) {
  const auto state = reactor_.sockets().delivery(socket_.get());
  return !state || state->acknowledged > before;
}

FirstBytes SocketConnection::check_first_bytes() {
  SocketApi& sockets = reactor_.sockets();
  const auto repeated = sockets.delivery(socket_.get());
  if (!repeated || repeated->acknowledged > 0) return FirstBytes::kArrived;
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  if (::getpeername(socket_.get(), peer.get(), &peer.size) != 0 || !is_loopback(peer)) {
    return FirstBytes::kArrived;
  }
  if (repeated->repetitions < kRepetitions || repeated->timeouts == 0) return FirstBytes::kAwaited;
  // From here on the system does not retransmit, so its state is final once the last retransmission
  // has had its time.
  set_no_repetition(socket_.get(), true);
  const auto last = sockets.delivery(socket_.get());
  if (last && last->acknowledged == 0 && last->since_sent >= kAnswerTime) {
    abort();
    return FirstBytes::kLost;
  }
  set_no_repetition(socket_.get(), false);
  return FirstBytes::kAwaited;
}

int SocketConnection::connect_error() {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

void SocketConnection::shutdown_write() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void SocketConnection::close() {
  // Closing the only descriptor of a socket also removes it from the epoll set.
  socket_.close();
  waiter_.leave();
}

sys::Descriptor SocketConnection::detach() {
  reactor_.remove(socket_.get());
  waiter_.leave();
  return std::move(socket_);
}

void SocketConnection::abort() {
  if (!socket_.is_open()) return;
  const linger reset{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close();
}

}  // namespace bellows::http
