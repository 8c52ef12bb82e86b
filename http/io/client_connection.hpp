// A kept-alive client connection (HTTP/1.1, plain or TLS) with streamed responses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "http/io/byte_stream.hpp"
#include "http/io/response_reader.hpp"

namespace bellows::http {

struct ClientConnectionOptions {
  TlsContext* tls = nullptr;                            ///< must outlive open(); null: plain
  std::size_t max_head_bytes = std::size_t{32} * 1024;  ///< same as on the data path
  /// Detects a lost peer within this time, even if this side sends nothing: the kernel probes it
  /// (TCP keepalive) and fails the connection if bytes are not acknowledged (TCP_USER_TIMEOUT).
  /// Whole seconds, at least 6 s; 0: as open_socket() sets it.
  Duration dead_after{};
};

/// Runs one exchange at a time: send(), response().read_head(), the body to its end. Another
/// exchange may follow while is_idle(). Owner: the client that uses it. Thread: the io thread.
class ClientConnection {
 public:
  /// Resolves, connects and performs TLS's handshake. Errors name the endpoint and are retryable
  /// (nothing was sent): those of connect_to(), kTimeout at `deadline`, and those of the handshake.
  static Awaitable<Result<std::unique_ptr<ClientConnection>>> open(Endpoint endpoint,
                                                                   ClientConnectionOptions options,
                                                                   TimePoint deadline);

  /// Sends the bytes of one request, which must live until then.
  Awaitable<Result<void>> send(std::string_view request);

  ResponseReader& response() { return response_; }

  /// Returns true if another request may follow: the last response has ended and the server keeps
  /// the connection open.
  bool is_idle() { return response_.may_reuse() && stream_.is_idle(); }

  /// Returns the socket, for deadlines.
  StreamSocket& socket() { return stream_.socket(); }
  /// Ends the current exchange with an error.
  void close() { stream_.close(); }

  ClientConnection(ByteStream stream, std::string peer, std::size_t max_head_bytes);

 private:
  std::string peer_;
  ByteStream stream_;
  ResponseReader response_;
};

}  // namespace bellows::http
