// A pool of connections to upstreams that uses the latest first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/address.hpp"
#include "http/io/socket_connection.hpp"
#include "http/io/task.hpp"
#include "proxy/core/keep_alive_time.hpp"
#include "proxy/io/connect_queue.hpp"
#include "proxy/io/http2_upstreams.hpp"

namespace bellows::proxy {

class Exchange;

/// Version of HTTP for an upstream.
enum class UpstreamVersion : std::uint8_t {
  kHttp1,
  kHttp2,  ///< without TLS, with prior knowledge
};

/// Check of an idle connection, because its upstream may be closing it.
enum class IdleCheck : std::uint8_t {
  kNone,   ///< none: the request may be repeated
  kOpen,   ///< asks the system whether it was closed
  kYoung,  ///< also requires that it is too young for its upstream to close it (KeepAliveTime)
};

struct UpstreamOptions {
  Duration connect_timeout = std::chrono::seconds(2);
  /// Idle time after which a connection is closed.
  Duration idle_timeout = std::chrono::seconds(60);
  std::size_t max_idle_per_endpoint = 1000;
  /// Limit of connections, idle or in use. At the limit a new one replaces the oldest idle one. It
  /// is at most half of the descriptors of the process, because the callers need the other half.
  std::size_t max_connections = 100'000;
  std::size_t loops = 1;  ///< number of pools that share the descriptors in equal parts
};

/// Outlives the exchanges that use it. Owner: the program's traffic server. Thread: the io thread.
class UpstreamPool {
 public:
  /// Closes a connection and decrements open(). A stream of HTTP/2 is not counted: `open` is
  /// nullptr.
  struct Close {
    std::size_t* open;
    void operator()(http::Connection* connection) const {
      delete connection;
      if (open != nullptr) --*open;
    }
  };
  using ConnectionPtr = std::unique_ptr<http::Connection, Close>;

  explicit UpstreamPool(http::Reactor& reactor, UpstreamOptions options = {});
  ~UpstreamPool();
  UpstreamPool(const UpstreamPool&) = delete;
  UpstreamPool& operator=(const UpstreamPool&) = delete;

  /// Returns the latest idle connection that the peer has neither closed nor sent bytes to; over
  /// HTTP/2 a new stream of a connection. Returns nullptr if none passes the check.
  ConnectionPtr acquire(const Endpoint& endpoint, UpstreamVersion version, IdleCheck check);

  /// Connects to the first address of the host that accepts. The exchange's task waits until
  /// `deadline` or for the connect timeout, whichever is earlier. While the backlog of an upstream
  /// on this machine is full, it waits for as long as the upstream responds to others. Over HTTP/2
  /// the connection stays here, and the result is its first stream. Errors: kRefused, kTimeout,
  /// kNotFound (no such host), kSystem: side upstream, may_retry, culprit the endpoint; kTimeout
  /// without may_retry: `deadline` has passed. kCancelled: the caller disconnected (downstream), or
  /// the server is stopped.
  http::Task<Result<ConnectionPtr>> connect(Endpoint endpoint, Exchange& exchange,
                                            TimePoint deadline,
                                            UpstreamVersion version = UpstreamVersion::kHttp1);

  /// Returns `version`, or HTTP/1.1 if the endpoint has shown recently that it does not speak
  /// HTTP/2.
  UpstreamVersion version_for(const Endpoint& endpoint, UpstreamVersion version) const;

  /// The last response of a connection.
  struct LastResponse {
    TimePoint began;                     ///< when the app may have started its idle timeout
    std::optional<Duration> keep_alive;  ///< promised by the upstream
  };
  /// Adds a connection whose last response was complete to the idle ones. Streams are not added.
  void release(const Endpoint& endpoint, ConnectionPtr connection, const LastResponse& last);

  /// Records that the upstream has responded to a request.
  void note_response(const Endpoint& endpoint);

  /// Closes all idle connections.
  void clear();

  /// Returns the number of idle connections.
  std::size_t idle() const;
  /// Returns the number of connections, idle or in use.
  std::size_t open() const { return open_; }
  /// Returns the counts of upstreams' actions that HTTP/2 forbids, or that were too frequent.
  const http2::AbuseCounters& http2_abuses() const { return http2_.abuses(); }

 private:
  struct IdleConnection {
    ConnectionPtr connection;
    TimePoint since;
    TimePoint answered;  // when the previous response began
  };
  struct Upstream {
    std::vector<IdleConnection> idle;  // oldest first
    KeepAliveTime keep_alive;
    ConnectQueue connects;
  };
  struct ConnectTime {
    TimePoint attempt_ends;  // for one address
    TimePoint request_ends;
  };
  struct EndpointHash {
    std::size_t operator()(const Endpoint& endpoint) const noexcept;
  };

  http::Task<Result<void>> wait_for_room(ConnectQueue& queue, const Endpoint& endpoint,
                                         const http::SocketAddress& address, Exchange& exchange,
                                         ConnectTime time);
  bool has_room(const ConnectQueue& queue, const http::SocketAddress& address) const;
  http::Task<Result<ConnectionPtr>> connect_one(const Endpoint& endpoint,
                                                const http::SocketAddress& address,
                                                Exchange& exchange, ConnectTime time);
  using SocketPtr = std::unique_ptr<http::SocketConnection, Close>;
  Result<SocketPtr> start_connect(const Endpoint& endpoint, const http::SocketAddress& address);
  bool is_young(const IdleConnection& idle, const KeepAliveTime& keep_alive) const;
  ConnectionPtr acquire_idle(Upstream& upstream, IdleCheck check);
  ConnectionPtr first_stream(const Endpoint& endpoint, ConnectionPtr connection);
  void make_room();
  void sweep_in(Duration longest);
  http::Task<void> sweep_loop();
  /// Closes connections that are too old or that the peer has closed. Returns when the next one
  /// will be too old.
  TimePoint sweep(TimePoint now);

  http::Reactor& reactor_;
  UpstreamOptions options_;
  std::size_t open_ = 0;
  std::size_t waiting_ = 0;  // in all connect queues
  Http2Upstreams http2_;
  std::unordered_map<Endpoint, Upstream, EndpointHash> upstreams_;
  http::Waiter waiter_;  // woken by events of idle connections
  http::Task<void> sweeper_;
};

}  // namespace bellows::proxy
