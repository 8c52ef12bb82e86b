// The further event loops of an activator, and which connection is whose.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activator/service/worker.hpp"

namespace bellows::activator {

/// One loop, the home, accepts all connections and serves some itself; each of the others is a
/// thread. A connection goes to the loop that has the fewest. Owner: the ActivatorService. Thread:
/// home.
class Workers final : private proxy::OtherLoops {
 public:
  /// `count`: beside the home. The references in `world` outlive it.
  Workers(WorkerWorld world, std::size_t count);
  ~Workers();

  /// Connections of `secure_port`, if there is one, speak TLS. It outlives them.
  Result<void> start(SecurePort* secure_port);
  void start_draining(proxy::IdleConnections idle);
  /// From now on the home serves what it accepts. Then ended() waits until every connection has
  /// ended, as ProxyServer::stop() does, and for the threads.
  void begin_stop(TimePoint deadline);
  http::Awaitable<void> ended(TimePoint deadline);

  /// What all of them together have done. Waits for the next turn of each.
  WorkerReport total(TimePoint since);
  /// Of each, in their order.
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
  SecurePort* secure_ = nullptr;  // nullptr: callers come in the clear
  bool is_taking_ = false;
};

}  // namespace bellows::activator
