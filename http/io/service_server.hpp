// A small HTTP/1.1 server for a program's own pages: health, metrics, status, control calls, and
// the stat stream. Traffic never goes through here (see proxy/io): messages are whole and small.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "base/endpoint.hpp"
#include "http/io/message.hpp"
#include "http/io/net.hpp"
#include "http/io/routes.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

struct ServiceServerOptions {
  std::size_t max_body_bytes = std::size_t{1024} * 1024;
  std::size_t max_header_bytes = std::size_t{16} * 1024;
  Duration idle_timeout = std::chrono::seconds(60);  ///< for a whole request to arrive, or an
                                                     ///< answer to be taken
  int unix_socket_mode = 0600;                       ///< of a listening Unix socket
  std::size_t max_connections = std::numeric_limits<std::size_t>::max();  ///< see ServiceServer
  WebSocketOptions websocket = {};
};

/// Routes first, then listen(); after that the routes do not change. Owner: the program. Thread:
/// the io thread. Unknown path: 404 naming it; known path with another method: 405 with Allow; a
/// body that belongs to neither is not read, the connection ends. Too large: 413 or 431; malformed:
/// 400; a request that trickles in is cut off. A handler that throws is a defect: logged, answered
/// with 500, and the server goes on. What handlers refer to must live until stop() has ended; a
/// server destroyed before cuts everything and leaves it to the io_context's next run.
///
/// At `max_connections` a new one costs another: the one whose caller has kept the server waiting
/// the longest (for a request, a body, or an answer to be taken) is closed. So however many say
/// nothing, or little, a scrape gets through, and memory and descriptors stay bounded; a shorter
/// idle time-out would only have asked for more of them per second. Where all have a handler at
/// work, or are WebSockets, new ones wait: one here, the others in the backlog.
class ServiceServer {
 public:
  explicit ServiceServer(net::io_context& io, ServiceServerOptions options = {});
  ~ServiceServer();
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;

  /// `path` is exact, or a prefix if it ends with '/' (then it also takes what lies below); see
  /// routes.hpp. HEAD is answered by GET's handler, without the body.
  void route(std::string method, std::string path, Handler handler);

  /// Upgrades to a WebSocket; the connection ends when the handler does. 426 without an upgrade.
  void websocket(std::string path, WebSocketHandler handler);

  /// Binds and starts to accept; port 0 picks one. The address with the real port; or the error
  /// that names the address ("127.0.0.1:8080: Address already in use (EADDRINUSE)"). A stale Unix
  /// socket file is replaced, a live one is kConflict.
  Result<Endpoint> listen(const Endpoint& endpoint);

  /// In stages: stops accepting, ends idle connections, closes WebSockets ("the server is
  /// stopping"; their handlers read kCancelled), gives running handlers until `deadline`, then
  /// cancels what they wait for. Not to be called by a handler.
  Awaitable<void> stop(TimePoint deadline);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // shared with the tasks of its connections
};

}  // namespace bellows::http
