// Kept-alive connections to upstreams, latest used first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/endpoint.hpp"
#include "http/io/connection.hpp"
#include "http/io/flow.hpp"

namespace bellows::proxy {

struct UpstreamOptions {
  Duration connect_timeout = std::chrono::seconds(2);
  Duration idle_timeout = std::chrono::seconds(60);  ///< a kept connection is closed after that
  std::size_t max_idle_per_endpoint = 1000;
};

/// A connection to an upstream: fresh, or used before.
struct UpstreamConnection {
  std::unique_ptr<http::Connection> connection;
  bool reused = false;
};

/// Owner: the program's traffic server. Thread: the io thread. Outlives the exchanges that use it.
class UpstreamPool {
 public:
  explicit UpstreamPool(http::Reactor& reactor, UpstreamOptions options = {});
  ~UpstreamPool();
  UpstreamPool(const UpstreamPool&) = delete;
  UpstreamPool& operator=(const UpstreamPool&) = delete;

  /// The latest kept connection that is still open; an empty one if there is none.
  UpstreamConnection take(const Endpoint& endpoint);

  /// A new connection. `waiter` is the caller's; the call ends by `deadline` or the connect
  /// time-out, whichever comes first. kRefused, kTimeout, kSystem; side upstream, may_retry.
  http::Flow<Result<UpstreamConnection>> connect(const Endpoint& endpoint, http::Waiter& waiter,
                                                 TimePoint deadline);

  /// Takes back a connection whose last answer has ended cleanly.
  void keep(const Endpoint& endpoint, std::unique_ptr<http::Connection> connection);

  /// Closes the kept connections of one endpoint (it is gone) or of all.
  void forget(const Endpoint& endpoint);
  void clear();

  std::size_t idle() const;

 private:
  class Bundle;
  struct EndpointHash {
    std::size_t operator()(const Endpoint& endpoint) const noexcept;
  };

  http::Reactor& reactor_;
  UpstreamOptions options_;
  std::unordered_map<Endpoint, std::unique_ptr<Bundle>, EndpointHash> bundles_;
};

}  // namespace bellows::proxy
