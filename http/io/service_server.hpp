// A small HTTP/1.1 server for a program's own pages: health, metrics, status, control calls, and
// the stat stream. Messages are whole and small; traffic uses proxy/io. Connections, listeners and
// the head reader are those of the data path.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "http/core/access_rules.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/message.hpp"
#include "http/io/net.hpp"
#include "http/io/routes.hpp"
#include "http/io/tls.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

struct ServiceServerOptions {
  std::size_t max_body_bytes = std::size_t{1024} * 1024;
  std::size_t max_header_bytes = std::size_t{16} * 1024;
  Duration idle_timeout = std::chrono::seconds(60);  ///< for a whole request to arrive, or a
                                                     ///< response to be read
  int unix_socket_mode = 0600;                       ///< mode of a listening Unix socket
  std::size_t max_connections = std::numeric_limits<std::size_t>::max();  ///< see ServiceServer
  /// Number of connections for each address that are accepted although the process has no
  /// descriptor left. So an operator still gets an answer while descriptors are exhausted.
  std::size_t spare_descriptors = 4;
  WebSocketOptions websocket = {};
  /// Decides which requests the server accepts; it adds the names of this machine. nullopt accepts
  /// all, for traffic.
  std::optional<AccessRules> access = AccessRules();
  /// Removes from a response, or from events, the parts that only clients with access to details
  /// may see; nullptr removes nothing.
  void (*withhold)(std::string& text) = nullptr;
  TlsContext* tls = nullptr;  ///< clients speak TLS; must outlive the server; null: plain
};

/// Add the routes, then call listen(); the routes do not change after that.
///
/// An unknown path is a 404 that names it; a known path with another method is a 405 with Allow. A
/// body that no handler reads ends the connection. Too large: 413, 414 or 431; malformed: 400, see
/// http/core/status.hpp. A request that is not complete within the idle timeout is disconnected. A
/// request that the access rules refuse gets a 403 with the reason. A handler that throws is a
/// defect: it is logged, the response is 500, and the server continues. Objects that handlers refer
/// to must live until stop() has ended. A server that is destroyed before that aborts its
/// connections, and its handlers end in the io_context's next run.
///
/// At `max_connections` a new connection evicts another: the one whose client has kept the server
/// waiting the longest (for a request, a body, or for reading the response) is closed. So a scrape
/// succeeds however many connections are idle or slow, and memory and descriptors stay bounded;
/// against a shorter idle timeout a client would only have to open more connections per second. If
/// all run a handler or are WebSockets, new ones wait: one here, the others in the backlog.
///
/// Owner: the program. Thread: the io thread.
class ServiceServer {
 public:
  explicit ServiceServer(net::io_context& io, ServiceServerOptions options = {});
  ~ServiceServer();
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;

  /// Adds a handler. `path` is exact, or a prefix if it ends with '/' (then it also matches paths
  /// below); see routes.hpp. HEAD uses GET's handler, without the body.
  void route(std::string method, std::string path, Handler handler);

  /// Adds a path that upgrades to a WebSocket; the connection ends when the handler does. A request
  /// without an upgrade gets a 426.
  void websocket(std::string path, WebSocketHandler handler);

  /// Answers a GET of `path` with server-sent events until its client disconnects or the server
  /// stops. Such a connection may be evicted like one that keeps the server waiting, because
  /// browsers reconnect. A client that does not read for the idle timeout is disconnected.
  void events(std::string path, EventSource source);

  /// Binds and starts to accept; port 0 lets the system choose. Returns the address with the real
  /// port, or an error that names the address ("127.0.0.1:8080: Address already in use
  /// (EADDRINUSE)"). A stale Unix socket file is replaced, a live one is kConflict.
  Result<Endpoint> listen(const Endpoint& endpoint);
  /// Does the same on a socket that another program has bound.
  Result<Endpoint> listen(BoundSocket socket);

  /// Stops in stages: stops accepting, ends idle connections, closes WebSockets ("the server is
  /// stopping"; their handlers read kCancelled), waits for running handlers until `deadline`, then
  /// aborts connections and cancels the waits of handlers. A handler must not call it.
  Awaitable<void> stop(TimePoint deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::http
