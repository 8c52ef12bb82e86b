// The further event loops of an activator, and the assignment of connections to them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activator/service/worker.hpp"

namespace bellows::activator {

/// One loop, the home, accepts all connections and serves some itself; each of the others is a
/// thread. A connection is assigned to the loop that has the fewest. Owner: the ActivatorService.
/// Thread: home.
class Workers final : private proxy::OtherLoops {
 public:
  /// `count` is the number of workers besides the home. The references in `world` must outlive it.
  Workers(WorkerWorld world, std::size_t count);
  ~Workers();

  /// Starts the workers. Connections use TLS with `secure_port`, which must outlive them; nullptr:
  /// no TLS.
  Result<void> start(SecurePort* secure_port);
  void start_draining(proxy::IdleConnections idle);
  /// Begins a stop: from now on the home serves what it accepts. Then ended() waits until every
  /// connection has ended, as ProxyServer::stop() does, and for the threads.
  void begin_stop(TimePoint deadline);
  http::Awaitable<void> ended(TimePoint deadline);

  /// Returns the sum of their activity. It waits for the next turn of each.
  WorkerReport total(TimePoint since);
  /// Appends the count of each, in their order.
  void append_connections(std::vector<std::size_t>& counts) const;
  void tick();
  std::vector<proxy::LoggedReply> replies_of(const std::string& id);

 private:
  bool take(proxy::NewConnection& connection, std::size_t connections, bool has_room) override;
  bool have_room() const override;
  void port_changed(const proxy::PortPtr& port, proxy::PortState state) override;
  bool are_empty() const;

  const WorkerWorld world_;
  std::vector<std::unique_ptr<Worker>> workers_;
  SecurePort* secure_ = nullptr;  // nullptr: callers connect without TLS
  bool is_taking_ = false;
};

}  // namespace bellows::activator
