// State that the sessions of one server share. Programs use the options and counters; the rest is
// for proxy/io.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "http/h2/core/abuse.hpp"
#include "http/h2/core/limits.hpp"
#include "proxy/core/client_connections.hpp"
#include "proxy/core/date_line.hpp"
#include "proxy/core/request_trace.hpp"
#include "proxy/core/trusted_proxies.hpp"
#include "proxy/core/upgrade_protocols.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/port.hpp"
#include "proxy/io/reply_log.hpp"
#include "proxy/io/waiting_list.hpp"

namespace bellows::proxy {

struct ProxyServerOptions {
  http::HeadLimits head = {};
  HeadSettings head_settings = {};  ///< named in replies to callers that exceed the limits
  config::ErrorDetail error_detail = config::ErrorDetail::kGeneric;
  UpgradeProtocols upgrades = UpgradeProtocols();
  TrustedProxies trusted_proxies = TrustedProxies();
  /// max-age of Strict-Transport-Security (RFC 6797) in responses to callers by TLS; zero: none.
  std::chrono::seconds hsts = std::chrono::seconds::zero();
  /// Options of traces. nullopt: the lines of a trace are passed on unchanged, and none is
  /// generated.
  std::optional<TraceOptions> trace = std::nullopt;
  Duration header_timeout = std::chrono::seconds(60);  ///< from a head's first byte to its last
  /// Reads a small body of a caller outside before its request is handled, so that slow callers
  /// hold no slots. Handlers with slots set it.
  bool reads_small_bodies = false;
  /// Minimum bytes per second of a request's body from callers outside, see BodyRate; 0: none.
  std::int64_t min_body_rate = 0;
  Duration keep_alive_timeout = std::chrono::seconds(180);  ///< without a request
  /// Maximum age of a connection of a caller outside, within a tenth; zero: none.
  Duration max_connection_age = Duration::zero();
  /// Maximum number of connections. At the limit a new connection replaces the one that has been
  /// without a request the longest; if each has one, the new one waits in the backlog. The limit is
  /// lower if descriptors (RLIMIT_NOFILE) do not suffice for two each: 9,365 of 20,000, 468 of
  /// 1,024.
  std::size_t max_connections = 15000;
  /// Number of servers that share `max_connections`, and the descriptors of the process, in equal
  /// parts.
  std::size_t loops = 1;
  /// Maximum number of connections of one client at TCP ports for callers outside; further ones are
  /// closed at once. 0: no limit.
  std::size_t max_client_connections = 0;
};

/// Treatment of connections that have served a request and wait for the next one in a drain.
enum class IdleConnections : std::uint8_t {
  kClose,
  kKeep,  ///< until their next response, or stop(), so that no request meets a closing connection
};

/// Counts since start; never reset.
struct ProxyCounters {
  std::uint64_t connections = 0;
  /// Connections closed at the limit of all connections, for a new one; connections closed at the
  /// limit of one client.
  std::uint64_t replaced_connections = 0;
  std::uint64_t refused_connections = 0;
  std::uint64_t requests = 0;
  /// [2]: 2xx sent, ...; [0]: no response (the caller disconnected).
  std::uint64_t by_class[6] = {};
  std::uint64_t local_replies = 0;
  /// Heads that never became a request, by the status of their rejection. They are not in
  /// `requests`.
  std::map<int, std::uint64_t> rejected_heads;
  /// Requests whose response stayed incomplete, or whose caller disconnected, by AbortedBy.
  std::array<std::uint64_t, kAbortedByNames.size()> aborted{};
  /// Requests that the end of the server stopped, with or without a response.
  std::uint64_t stopped = 0;
  std::uint64_t retries = 0;
  std::uint64_t upgrades = 0;
  std::int64_t open_connections = 0;
  std::int64_t in_flight = 0;  ///< with a handler, tunnels included
  std::int64_t open_tunnels = 0;

  /// Adds the counts of another server.
  ProxyCounters& operator+=(const ProxyCounters& other);
};

/// Called when an exchange has ended, also for one that is destroyed with its server. The views are
/// valid during the call only.
using ExchangeObserver = std::function<void(Exchange&, const Outcome&)>;

class Session;

/// Receives the events of a session for its server.
class SessionListener {
 public:
  /// Called by the session's task as its last action.
  virtual void session_ended(Session& session) = 0;
  /// Called when an exchange has ended, so a drain may be complete.
  virtual void exchange_ended() = 0;
  /// Called when a request in flight has become a tunnel.
  virtual void tunnel_opened() = 0;

 protected:
  ~SessionListener() = default;
};

/// Owner: the ProxyServer. Thread: the io thread.
struct ServerState {
  using Sessions = std::list<std::unique_ptr<Session>>;

  ServerState(http::Reactor& the_reactor, RequestHandler& the_handler,
              ProxyServerOptions the_options, SessionListener& the_listener);
  ~ServerState();
  ServerState(const ServerState&) = delete;
  ServerState& operator=(const ServerState&) = delete;

  http::Reactor& reactor;
  RequestHandler& handler;
  SessionListener& listener;
  ProxyServerOptions options;
  ExchangeObserver observer;
  ProxyCounters counters;
  bool is_draining = false;    ///< every response is the last of its connection
  bool closes_idle = false;    ///< idle connections that have served a request are closed
  bool is_closing = false;     ///< the port is closed; new connections wait for a request briefly
  bool is_cutting = false;     ///< sessions end at once
  bool is_wanted = false;      ///< all connections are taken, and a caller waits
  std::size_t kept_bytes = 0;  ///< kept bytes of bodies, see KeptBody
  std::string scratch;         ///< for outgoing heads; never used across a wait
  std::string scratch_lines;
  http::RequestHead scratch_request;    ///< parts of scratch, for a stream
  http::ResponseHead scratch_response;  ///< the same for a response
  DateLine date;
  SeededRandom ages;
  ReplyLog replies;
  std::optional<Tracer> tracer;
  http2::Limits http2_limits;        ///< of connections from outside
  http2::Limits http2_inner_limits;  ///< of those from another hop of Bellows
  http2::AbuseCounters http2_abuses;
  Sessions open;
  ClientConnections clients;
  WaitingList silent;        ///< open, without a whole request so far
  WaitingList idle;          ///< open, between two requests
  std::size_t replaced = 0;  ///< open ones that were closed; their tasks end next
  Sessions ended;            ///< their tasks are done; destroyed outside of them

  /// Returns true if each response to a caller at `port` is the last of its connection.
  bool is_leaving(const Port& port) const {
    return is_draining || is_wanted || port.state() != PortState::kOpen;
  }
  /// Returns when a connection that `callers` open now reaches its maximum age; TimePoint::max():
  /// never.
  TimePoint end_of_age(Peer callers);
  /// Returns the current Date line.
  std::string_view date_line();
};

}  // namespace bellows::proxy
