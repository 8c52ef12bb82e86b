// One TCP (or Unix) stream socket whose calls never block: try, and if that would block, wait in
// the owner's Waiter.
#pragma once

#include <cstdint>
#include <span>

#include "base/sys/descriptor.hpp"
#include "http/io/reactor.hpp"

namespace bellows::http {

/// The result of one try.
struct IoResult {
  enum class Kind : std::uint8_t {
    kBytes,       ///< `bytes` were moved, at least one
    kWouldBlock,  ///< the waiter is woken when another try is useful
    kEnd,         ///< the peer has sent its FIN
    kFailed,      ///< `error` is the errno
  };
  Kind kind = Kind::kWouldBlock;
  std::size_t bytes = 0;
  int error = 0;
};

/// Owner: a session, an exchange or an upstream pool. Thread: the io thread.
class Connection final : private EventHandler {
 public:
  /// Registers a connected or connecting non-blocking socket with the reactor.
  Connection(Reactor& reactor, sys::Descriptor socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The waiter to wake at events; nullptr for none. Earlier events do not wake it.
  void set_waiter(Waiter* waiter) { waiter_ = waiter; }

  bool is_open() const { return socket_.is_open(); }
  /// For a TLS session over this connection; -1 once closed.
  int fd() const { return socket_.get(); }
  /// The peer has closed or reset its sending side; there may still be bytes to read.
  bool peer_has_closed() const { return peer_has_closed_; }
  /// It was reset, or the system has given up the peer: waiting to send is futile.
  bool was_reset() const { return was_reset_; }
  /// A read is worth a try: there may be bytes, the end or an error.
  bool is_readable() const { return readable_; }

  IoResult try_read(char* data, std::size_t size);
  /// Sends as much of the parts as possible without blocking.
  IoResult try_write(const iovec* parts, std::size_t count);
  IoResult try_write(std::string_view bytes);

  /// True if open and without bytes, end or error to read; asks the system (MSG_PEEK).
  bool is_idle();
  /// The errno of a finished connect, 0 if it has succeeded.
  int connect_error();
  /// True once a pending connect has succeeded or failed.
  bool connect_ended() const { return writable_; }
  void expect_connect() { writable_ = false; }

  /// Sends FIN; reading continues.
  void shutdown_write();
  void close();
  /// Gives the socket to the caller, out of the reactor; this connection is closed then.
  sys::Descriptor detach();
  /// Closes with a reset, so that what was sent cannot look complete.
  void abort();

 private:
  void on_events(std::uint32_t epoll_events) override;

  Reactor& reactor_;
  sys::Descriptor socket_;
  Waiter* waiter_ = nullptr;
  bool readable_ = false;  // until the first event, so that reads come in the order of arrival
  bool writable_ = true;
  bool peer_has_closed_ = false;
  bool was_reset_ = false;
};

}  // namespace bellows::http
