#include "kubernetes/io/connection_pool.hpp"

#include <utility>

namespace bellows::kubernetes {

http::Awaitable<Result<PooledConnection>> ConnectionPool::take(
    std::shared_ptr<http::TlsContext> tls, TimePoint deadline) {
  while (!idle_.empty()) {
    PooledConnection last = std::move(idle_.back());
    idle_.pop_back();
    if (last.tls != tls || !last.connection->is_idle()) continue;
    last.is_reused = true;
    co_return std::move(last);
  }
  http::ClientConnectionOptions options;
  options.tls = tls.get();
  options.dead_after = std::chrono::seconds(45);
  BELLOWS_CO_TRY(auto opened, co_await http::ClientConnection::open(endpoint_, options, deadline));
  co_return PooledConnection{.connection = std::move(opened), .tls = std::move(tls)};
}

void ConnectionPool::give_back(PooledConnection connection) {
  if (!connection.connection->is_idle()) return;
  idle_.push_back(std::move(connection));
  if (idle_.size() > max_idle_) idle_.pop_front();
}

}  // namespace bellows::kubernetes
