// Kept-alive connections to the API server. Within kubernetes/io.
#pragma once

#include <deque>
#include <memory>

#include "base/endpoint.hpp"
#include "http/io/client_connection.hpp"

namespace bellows::kubernetes {

/// A connection in use.
struct PooledConnection {
  std::unique_ptr<http::ClientConnection> connection;
  std::shared_ptr<http::TlsContext> tls;  ///< what it was opened with; owners: as of Access
  bool is_reused = false;
};

/// Owner: the client. Thread: the io thread.
class ConnectionPool {
 public:
  ConnectionPool(Endpoint endpoint, std::size_t max_idle)
      : endpoint_(std::move(endpoint)), max_idle_(max_idle) {}

  /// An idle connection that is still open, the one that was used last, or a new one. Errors as of
  /// ClientConnection::open().
  http::Awaitable<Result<PooledConnection>> take(std::shared_ptr<http::TlsContext> tls,
                                                 TimePoint deadline);
  /// Keeps it if it may take another request.
  void give_back(PooledConnection connection);
  /// Closes the idle ones: they were opened with certificates that count no more.
  void clear() { idle_.clear(); }

 private:
  Endpoint endpoint_;
  std::size_t max_idle_;
  std::deque<PooledConnection> idle_;  // the last used one at the end
};

}  // namespace bellows::kubernetes
