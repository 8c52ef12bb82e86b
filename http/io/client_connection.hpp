// A kept-alive client connection (HTTP/1.1, plain or TLS) with streamed answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "http/io/byte_stream.hpp"
#include "http/io/response_reader.hpp"

namespace bellows::http {

struct ClientConnectionOptions {
  TlsContext* tls = nullptr;                            ///< outlives open(); null: plain
  std::size_t max_head_bytes = std::size_t{32} * 1024;  ///< as on the data path
  /// A peer that is gone without a word is found within this time, also while nothing is sent: the
  /// kernel probes it (TCP keepalive) and gives up bytes that nobody acknowledges
  /// (TCP_USER_TIMEOUT). Whole seconds, at least 6 s; 0: as open_socket() has it.
  Duration dead_after{};
};

/// One exchange at a time: send(), response().read_head(), the body to its end. Then another one,
/// while is_idle(). Owner: the client that uses it. Thread: the io thread.
class ClientConnection {
 public:
  /// Resolves, connects and performs TLS's handshake. Errors name the endpoint and are retryable
  /// (nothing was sent): those of connect_to(), kTimeout at `deadline`, and of the handshake.
  static Awaitable<Result<std::unique_ptr<ClientConnection>>> open(Endpoint endpoint,
                                                                   ClientConnectionOptions options,
                                                                   TimePoint deadline);

  /// Sends the bytes of one request, which live until then.
  Awaitable<Result<void>> send(std::string_view request);

  ResponseReader& response() { return response_; }

  /// True if it may take another request: the last response has ended and the server keeps the
  /// connection open.
  bool is_idle() { return response_.may_reuse() && stream_.is_idle(); }

  /// For deadlines.
  StreamSocket& socket() { return stream_.socket(); }
  /// Ends an exchange under way with an error.
  void close() { stream_.close(); }

  ClientConnection(ByteStream stream, std::string peer, std::size_t max_head_bytes);

 private:
  std::string peer_;
  ByteStream stream_;
  ResponseReader response_;
};

}  // namespace bellows::http
