// A socket that listens: TCP or Unix, bound with all the care that takes.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "http/io/socket_file.hpp"

namespace bellows::http {

/// Owner: the server that accepts from it. Thread: the io thread. Children do not inherit it.
class ListeningSocket {
 public:
  using Acceptor = net::basic_socket_acceptor<net::generic::stream_protocol, Executor>;

  /// Binds and listens; port 0 picks one; of a host's name the first address. A Unix socket file
  /// has `unix_mode` before anybody can connect. A stale one is replaced; kConflict if somebody
  /// listens there or it is another kind of file. Other errors name the address: "127.0.0.1:8080:
  /// listen: Address already in use (EADDRINUSE)".
  static Result<ListeningSocket> open(net::io_context& io, const Endpoint& endpoint,
                                      mode_t unix_mode);

  ListeningSocket(ListeningSocket&& other) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  Acceptor& acceptor() { return acceptor_; }

  /// The address with the real port.
  const Endpoint& endpoint() const { return endpoint_; }

  /// Stops listening and removes the Unix socket file, if it is still this socket's.
  void close();

 private:
  ListeningSocket(Acceptor acceptor, Endpoint endpoint, SocketFile file);

  Acceptor acceptor_;
  Endpoint endpoint_;
  SocketFile file_;
};

}  // namespace bellows::http
