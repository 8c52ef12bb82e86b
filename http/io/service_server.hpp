// A small HTTP/1.1 server for a program's own pages: health, metrics, status, control calls, and
// the stat stream. Messages are whole and small; traffic goes through proxy/io. Connections,
// listeners and the head reader are those of the data path.
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
  int unix_socket_mode = 0600;                       ///< of a listening Unix socket
  std::size_t max_connections = std::numeric_limits<std::size_t>::max();  ///< see ServiceServer
  /// Kept open for each address: so many connections are accepted although the process has no
  /// descriptor left. Who asks what is wrong gets an answer then.
  std::size_t spare_descriptors = 4;
  WebSocketOptions websocket = {};
  /// Whom the server takes requests from, by the names of this machine too; nullopt: from
  /// everybody, for traffic.
  std::optional<AccessRules> access = AccessRules();
  /// Removes from a response, or from events, what is for those alone who may see detail; nullptr:
  /// nothing.
  void (*withhold)(std::string& text) = nullptr;
  TlsContext* tls = nullptr;  ///< clients speak TLS by it; outlives the server; null: plain
};

/// Add the routes, then listen(); the routes do not change after that. Owner: the program. Thread:
/// the io thread. Unknown path: 404 naming it; known path with another method: 405 with Allow; a
/// body that no handler reads ends the connection. Too large: 413, 414 or 431; malformed: 400, see
/// http/core/status.hpp; a request that is not whole within the idle timeout is disconnected. A
/// refused by the access rules: 403 with the reason. A
/// handler that throws is a defect: it is logged, the response is 500, and the server continues.
/// What handlers refer to must live until stop() has ended; a server destroyed before aborts its
/// connections, and its handlers end in the io_context's next run.
///
/// At `max_connections` a new connection replaces another: the one whose client has kept the server
/// waiting the longest (for a request, a body, or for reading the response) is closed. So a scrape
/// succeeds however many connections are idle or slow, and memory and descriptors stay bounded; a
/// shorter idle timeout would only need more such connections a second. If all are running a
/// handler or are WebSockets, new ones wait: one here, the others in the backlog.
class ServiceServer {
 public:
  explicit ServiceServer(net::io_context& io, ServiceServerOptions options = {});
  ~ServiceServer();
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;

  /// `path` is exact, or a prefix if it ends with '/' (then it also matches paths below); see
  /// routes.hpp. HEAD uses GET's handler, without the body.
  void route(std::string method, std::string path, Handler handler);

  /// Upgrades to a WebSocket; the connection ends when the handler does. 426 without an upgrade.
  void websocket(std::string path, WebSocketHandler handler);

  /// A GET of `path` is answered with server-sent events until its client leaves or the server
  /// stops. Such a connection may be replaced like one that keeps the server waiting: browsers
  /// connect again. A client that does not read for the idle timeout is disconnected.
  void events(std::string path, EventSource source);

  /// Binds and starts to accept; port 0 picks one. The address with the real port; or the error
  /// that names the address ("127.0.0.1:8080: Address already in use (EADDRINUSE)"). A stale Unix
  /// socket file is replaced, a live one is kConflict.
  Result<Endpoint> listen(const Endpoint& endpoint);
  /// The same on a socket that was bound by another program.
  Result<Endpoint> listen(BoundSocket socket);

  /// In stages: stops accepting, ends idle connections, closes WebSockets ("the server is
  /// stopping"; their handlers read kCancelled), waits for running handlers until `deadline`, then
  /// aborts connections and cancels what handlers wait for. Must not be called by a handler.
  Awaitable<void> stop(TimePoint deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::http
