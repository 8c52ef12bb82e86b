// Accepts requests from downstream connections and passes each to a RequestHandler.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/endpoint.hpp"
#include "base/lifetime.hpp"
#include "http/io/listener.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/port.hpp"
#include "proxy/io/server_state.hpp"
#include "proxy/io/shared_ports.hpp"

namespace bellows::proxy {

/// The handler outlives the server. The destructor aborts remaining connections. Owner: the
/// program. Thread: the io thread.
class ProxyServer final : private SessionListener {
 public:
  ProxyServer(http::Reactor& reactor, RequestHandler& handler, ProxyServerOptions options = {});
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  /// Sets the observer, for access logs and duration metrics. Call it before listen().
  void set_observer(ExchangeObserver observer) { state_.observer = std::move(observer); }

  /// Sets ProxyServerOptions::reads_small_bodies, for requests that arrive from now on.
  void read_small_bodies(bool reads) { state_.options.reads_small_bodies = reads; }

  /// Shares connections with `loops` from now on. ProxyServerOptions::loops has their number.
  void share_with(OtherLoops& loops) { others_ = &loops; }
  /// Makes adopt() the only source of connections; `loop` is informed when they end.
  void serve_for(AcceptingLoop& loop) { accepting_ = &loop; }
  /// Serves a connection that another loop has accepted, as one at `port`. `client` is the key
  /// under which that loop counts it.
  void adopt(std::unique_ptr<http::Connection> connection, const http::SocketAddress& peer,
             const PortPtr& port, std::string client);
  /// Records that a connection of the client has ended in another loop.
  void client_left(const std::string& client) { state_.clients.remove(client); }

  /// Binds and accepts; several addresses are possible. Returns the address with the real port, or
  /// an error that names it. `callers` is the kind of peer that connects there, which
  /// Exchange::caller() returns. A hop of Bellows has applied its limits to a head and then added
  /// lines, so its heads may have the largest size; heads of others are limited by
  /// ProxyServerOptions. `make` makes its connections, with TLS for example; empty: without TLS.
  Result<Endpoint> listen(const Endpoint& endpoint, Peer callers = Peer::kOutside,
                          http::MakeConnection make = {});

  /// Does the same on a socket that another program has bound and shares. While the server drains,
  /// new connections are left to the other programs.
  Result<Endpoint> listen(http::BoundSocket socket, Peer callers = Peer::kOutside,
                          http::MakeConnection make = {});

  /// Does the same for a port that may be closed again. Exchange::port_context() returns `context`,
  /// which may be null. The number of open ports does not affect the cost of a request.
  Result<PortPtr> open_port(const Endpoint& endpoint,
                            std::shared_ptr<const PortContext> context = nullptr,
                            Peer callers = Peer::kOutside);
  /// Sets the state; kClosed is final. Connections in the backlog are accepted before.
  void set_port_state(const PortPtr& port, PortState state);

  /// Starts a drain: from now on responses have Connection: close, and idle connections that have
  /// served a request are closed or kept. New ones are still accepted and served, because a replica
  /// stays reachable until its callers have removed it.
  void start_draining(IdleConnections idle = IdleConnections::kClose);
  /// Undoes the drain: connections are kept alive again.
  void end_draining() { state_.is_draining = state_.closes_idle = false; }
  bool is_draining() const { return state_.is_draining; }
  /// Returns true if only tunnels are in flight.
  bool has_only_tunnels() const {
    return state_.counters.open_tunnels > 0 &&
           state_.counters.in_flight == state_.counters.open_tunnels;
  }
  /// Returns true if no request and no tunnel is in flight.
  bool is_idle() const { return state_.counters.in_flight == 0; }
  /// Returns the number of open connections.
  std::size_t connections() const { return state_.open.size(); }
  /// Returns when the latest open connection that has not sent a whole request was made; nullopt if
  /// there is none since `since`.
  std::optional<TimePoint> last_silent_connection(TimePoint since) const;

  /// Stops accepting, drains, waits until idle, then closes: connections without a request in
  /// flight have half a second to finish, and those of HTTP/2 until their responses are written.
  /// Resets remaining connections at `deadline`. `on_tunnels_left` is called once if only tunnels
  /// are in flight and no request can arrive any more, because tunnels end only when their servers
  /// are stopped.
  http::Awaitable<void> stop(TimePoint deadline, std::function<void()> on_tunnels_left = nullptr);

  /// Returns the details that were withheld from callers.
  const ReplyLog& replies() const { return state_.replies; }

  const ProxyCounters& counters() const { return state_.counters; }
  /// Returns the counts of callers' actions that HTTP/2 forbids, or that were too frequent.
  const http2::AbuseCounters& http2_abuses() const { return state_.http2_abuses; }
  /// Returns how often a connection could not be accepted because descriptors or memory were
  /// exhausted.
  std::uint64_t accept_failures() const;

 private:
  void session_ended(Session& session) override;
  void exchange_ended() override;
  void tunnel_opened() override;
  void accept(sys::Descriptor socket, const http::SocketAddress& peer, const PortPtr& port);
  Result<PortPtr> add_port(Result<http::BoundSocket> opened, std::shared_ptr<Port> port);
  std::unique_ptr<http::Connection> connect(sys::Descriptor socket, const http::SocketAddress& peer,
                                            const Port& port);
  void close_listener(const Port& port);
  void limit_connections();
  std::string client_of(const http::SocketAddress& peer, const Port& port) const;
  bool has_reached_limit() const;
  Session* replaceable();
  void open_session(std::unique_ptr<http::Connection> connection, const http::SocketAddress& peer,
                    const PortPtr& port, std::string client);
  void make_room();
  void pause_or_resume();
  bool has_unsent() const;
  void wake_all();
  http::Awaitable<void> wait_until_empty(TimePoint deadline);
  void notice_tunnels(TimePoint now);

  std::size_t reserved_ = 0;           // descriptors at the last limitation of connections
  const std::size_t max_connections_;  // less if descriptors are scarce
  ServerState state_;
  http::AsioTimer changed_;  // cancelled when a session ends, and never expires
  TimePoint idle_since_{};   // while stopping: when the last exchange ended
  struct Listening {
    std::unique_ptr<http::Listener> listener;
    PortPtr port;
  };
  std::vector<Listening> listeners_;
  std::uint64_t accept_failures_ = 0;      // of listeners that are closed
  std::function<void()> on_tunnels_left_;  // argument of stop(), until it was called
  bool is_paused_ = false;
  bool is_full_ = false;                // no room for another connection here
  OtherLoops* others_ = nullptr;        // nullptr: all connections are served here
  AcceptingLoop* accepting_ = nullptr;  // nullptr: this server accepts
  TimePoint next_warning_{};            // about replaced connections
  /// Checks, while paused, for connections that may be replaced now.
  class Recheck final : public http::Timer {
   public:
    explicit Recheck(ProxyServer& server);

   private:
    void on_expiry() override { server_.pause_or_resume(); }
    ProxyServer& server_;
  };
  Recheck recheck_{*this};
  Lifetime lifetime_;  // for posted handlers
};

}  // namespace bellows::proxy
