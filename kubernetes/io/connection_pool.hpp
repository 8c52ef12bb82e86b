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
  std::shared_ptr<http::TlsContext> tls;  ///< its context when opened; owners: as of Access
  bool is_reused = false;
};

/// Owner: the client. Thread: the io thread.
class ConnectionPool {
 public:
  ConnectionPool(Endpoint endpoint, std::size_t max_idle)
      : endpoint_(std::move(endpoint)), max_idle_(max_idle) {}

  /// Returns the idle, still open connection that was used last, or a new one. Errors are those of
  /// ClientConnection::open().
  http::Awaitable<Result<PooledConnection>> take(std::shared_ptr<http::TlsContext> tls,
                                                 TimePoint deadline);
  /// Stores the connection if it may take another request.
  void give_back(PooledConnection connection);
  /// Closes the idle ones, because they were opened with certificates that are not valid any more.
  void clear() { idle_.clear(); }

 private:
  Endpoint endpoint_;
  std::size_t max_idle_;
  std::deque<PooledConnection> idle_;  // last used one at the end
};

}  // namespace bellows::kubernetes
