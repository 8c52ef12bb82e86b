// A connection that is one TCP or Unix stream socket.
#pragma once

#include <cstdint>

#include "base/sys/descriptor.hpp"
#include "http/io/connection.hpp"

namespace bellows::http {

/// Owner and thread: those of a Connection.
class SocketConnection : public Connection, private EventHandler {
 public:
  /// Registers a connected or connecting non-blocking socket with the reactor.
  SocketConnection(Reactor& reactor, sys::Descriptor socket);
  ~SocketConnection() override;

  using Connection::try_write;

  bool is_open() const override { return socket_.is_open(); }
  IoResult try_read(char* data, std::size_t size) override;
  IoResult try_write(const iovec* parts, std::size_t count) override;
  /// Asks the system (MSG_PEEK).
  bool is_idle() override;
  /// Asks the system what the peer has acknowledged; true on a Unix socket.
  bool may_have_delivered(std::uint64_t before) override;
  /// Detects a full backlog. A listener whose backlog is full drops the end of a handshake: the
  /// connection is open on this side only, and its bytes are retransmitted with doubling intervals
  /// until there is room. The bytes count as lost after two retransmissions without an
  /// acknowledgement, on a loopback address only: elsewhere the acknowledgements themselves may be
  /// lost.
  FirstBytes check_first_bytes() override;
  void shutdown_write() override;
  void close() override;
  void abort() override;

  /// Returns the descriptor for a TLS session over this socket; -1 once closed.
  int fd() const { return socket_.get(); }
  /// Returns the errno of a finished connect, 0 if it has succeeded.
  int connect_error();
  /// Returns true once a pending connect has succeeded or failed.
  bool connect_ended() const { return writable_; }
  void expect_connect() { writable_ = false; }
  /// Removes the socket from the reactor and gives it to the caller; this connection is closed
  /// then.
  sys::Descriptor detach();

 protected:
  SocketApi& sockets() { return reactor_.sockets(); }

 private:
  void on_events(std::uint32_t epoll_events) override;

  Reactor& reactor_;
  sys::Descriptor socket_;
};

}  // namespace bellows::http
