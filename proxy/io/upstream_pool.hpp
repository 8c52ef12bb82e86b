// Kept-alive connections to upstreams, latest used first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/address.hpp"
#include "http/io/connection.hpp"
#include "http/io/task.hpp"

namespace bellows::proxy {

class Exchange;

struct UpstreamOptions {
  Duration connect_timeout = std::chrono::seconds(2);
  Duration idle_timeout = std::chrono::seconds(60);  ///< a kept connection is closed after that
  std::size_t max_idle_per_endpoint = 1000;
  /// Beyond so many connections, kept or in use, the oldest kept one is closed for a new one. At
  /// most half of the descriptors that the process may have: the callers need the other half.
  std::size_t max_connections = 100'000;
};

/// Owner: the program's traffic server. Thread: the io thread. Outlives the exchanges that use it.
class UpstreamPool {
 public:
  /// Closes a connection and counts it out of open().
  struct Close {
    std::size_t* open;
    void operator()(http::Connection* connection) const {
      delete connection;
      --*open;
    }
  };
  using ConnectionPtr = std::unique_ptr<http::Connection, Close>;

  explicit UpstreamPool(http::Reactor& reactor, UpstreamOptions options = {});
  ~UpstreamPool();
  UpstreamPool(const UpstreamPool&) = delete;
  UpstreamPool& operator=(const UpstreamPool&) = delete;

  /// The latest kept connection whose peer has neither left nor spoken; nullptr: there is none.
  ConnectionPtr take(const Endpoint& endpoint);

  /// A new connection to the first address of the host that takes one; the exchange's task waits at
  /// most until `deadline` or for the connect time-out. kRefused, kTimeout, kNotFound (no such
  /// host), kSystem: side upstream, may_retry, culprit the endpoint; kTimeout, not to be retried:
  /// `deadline` passed. kCancelled: the caller hung up (downstream), or the server is stopped.
  http::Task<Result<ConnectionPtr>> connect(Endpoint endpoint, Exchange& exchange,
                                            TimePoint deadline);

  /// Takes back a connection whose last answer has ended cleanly.
  void keep(const Endpoint& endpoint, ConnectionPtr connection);

  /// Closes all kept connections.
  void clear();

  /// Kept connections.
  std::size_t idle() const;
  /// Those and the ones in use.
  std::size_t open() const { return open_; }

 private:
  struct Kept {
    ConnectionPtr connection;
    TimePoint since;
  };
  using Bundle = std::vector<Kept>;  // oldest first
  struct EndpointHash {
    std::size_t operator()(const Endpoint& endpoint) const noexcept;
  };

  http::Task<Result<ConnectionPtr>> connect_one(const Endpoint& endpoint,
                                                const http::SocketAddress& address,
                                                Exchange& exchange, TimePoint until);
  Result<ConnectionPtr> start_connect(const Endpoint& endpoint, const http::SocketAddress& address);
  void make_room();
  http::Task<void> sweep_loop();
  /// Closes what is too old or has been left; the instant of the next that will be too old.
  TimePoint sweep(TimePoint now);

  http::Reactor& reactor_;
  UpstreamOptions options_;
  std::size_t open_ = 0;
  std::unordered_map<Endpoint, Bundle, EndpointHash> bundles_;
  http::Waiter waiter_;  // woken when a kept connection's peer does anything
  http::Task<void> sweeper_;
};

}  // namespace bellows::proxy
