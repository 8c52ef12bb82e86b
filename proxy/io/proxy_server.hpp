// Accepts requests from downstream connections and hands each to a RequestHandler.
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

/// Owner: the program. Thread: the io thread. The handler outlives it. Its destructor aborts what
/// is left.
class ProxyServer final : private SessionListener {
 public:
  ProxyServer(http::Reactor& reactor, RequestHandler& handler, ProxyServerOptions options = {});
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  /// For access logs and duration metrics. Call it before listen().
  void set_observer(ExchangeObserver observer) { state_.observer = std::move(observer); }

  /// Connections are shared with `loops` from now on. ProxyServerOptions::loops says with how many.
  void share_with(OtherLoops& loops) { others_ = &loops; }
  /// Connections come by adopt() alone; `loop` is told what becomes of them.
  void serve_for(AcceptingLoop& loop) { accepting_ = &loop; }
  /// Serves a connection that another loop has accepted, as one at `port`. `client`: as it is
  /// counted there.
  void adopt(std::unique_ptr<http::Connection> connection, const http::SocketAddress& peer,
             const PortPtr& port, std::string client);
  /// A connection of the client has ended in another loop.
  void client_left(const std::string& client) { state_.clients.remove(client); }

  /// Binds and accepts; several addresses are possible. Returns the address with the real port, or
  /// an error that names it. `callers`: who connects there; Exchange::caller() tells it. A hop of
  /// Bellows has applied its limits to a head and then added lines, so its heads may have the
  /// largest size; heads of others are limited by ProxyServerOptions.
  /// `make`: what its connections speak, TLS say; empty: in the clear.
  Result<Endpoint> listen(const Endpoint& endpoint, Peer callers = Peer::kOutside,
                          http::MakeConnection make = {});

  /// The same on a socket that was bound by another program and is shared with it. While the server
  /// drains, new connections are left to the others that have it.
  Result<Endpoint> listen(http::BoundSocket socket, Peer callers = Peer::kOutside,
                          http::MakeConnection make = {});

  /// The same for a port that may leave again. `context`: Exchange::port_context() tells it; may be
  /// null. How many are open costs a request nothing.
  Result<PortPtr> open_port(const Endpoint& endpoint,
                            std::shared_ptr<const PortContext> context = nullptr,
                            Peer callers = Peer::kOutside);
  /// kClosed is for good. A connection that waits to be accepted is accepted before.
  void set_port_state(const PortPtr& port, PortState state);

  /// From now on responses say Connection: close, and idle connections that have served a request
  /// are closed or kept. New ones are still accepted and served (a replica stays reachable until
  /// its callers know).
  void start_draining(IdleConnections idle = IdleConnections::kClose);
  /// The drain turned out to be none: connections are kept alive again.
  void end_draining() { state_.is_draining = state_.closes_idle = false; }
  bool is_draining() const { return state_.is_draining; }
  /// Only tunnels are in flight.
  bool has_only_tunnels() const {
    return state_.counters.open_tunnels > 0 &&
           state_.counters.in_flight == state_.counters.open_tunnels;
  }
  /// No request and no tunnel is in flight.
  bool is_idle() const { return state_.counters.in_flight == 0; }
  /// Open now.
  std::size_t connections() const { return state_.open.size(); }
  /// When the latest of the open connections was made that have not sent a whole request; nullopt:
  /// there is none since `since`.
  std::optional<TimePoint> last_silent_connection(TimePoint since) const;

  /// Stops accepting, drains, waits until idle, then closes: connections without a request in
  /// flight have half a second to finish, and those of HTTP/2 until their responses are written.
  /// Resets what is left at `deadline`. `on_tunnels_left` is called once if nothing but tunnels is
  /// in flight and no request can come any more: they end when their servers are told to.
  http::Awaitable<void> stop(TimePoint deadline, std::function<void()> on_tunnels_left = nullptr);

  /// What callers were not told.
  const ReplyLog& replies() const { return state_.replies; }

  const ProxyCounters& counters() const { return state_.counters; }
  /// What callers did that HTTP/2 forbids, or did too often.
  const http2::AbuseCounters& http2_abuses() const { return state_.http2_abuses; }
  /// How often a connection could not be accepted because descriptors or memory were exhausted.
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

  std::size_t reserved_ = 0;           // descriptors, when connections were limited last
  const std::size_t max_connections_;  // if descriptors allow as many
  ServerState state_;
  http::AsioTimer changed_;  // cancelled when a session ends, and never expires
  TimePoint idle_since_{};   // while stopping: of the last exchange's end
  struct Listening {
    std::unique_ptr<http::Listener> listener;
    PortPtr port;
  };
  std::vector<Listening> listeners_;
  std::uint64_t accept_failures_ = 0;      // of listeners that are closed
  std::function<void()> on_tunnels_left_;  // of stop(), until it was called
  bool is_paused_ = false;
  bool is_full_ = false;                // no room for another connection here
  OtherLoops* others_ = nullptr;        // nullptr: all connections are served here
  AcceptingLoop* accepting_ = nullptr;  // nullptr: it is this server that accepts
  TimePoint next_warning_{};            // of connections that are replaced
  /// While paused, looks for connections that may be replaced now.
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
