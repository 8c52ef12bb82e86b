// A small HTTP/1.1 server for a program's own pages: health, metrics, status, control calls, and
// the stat stream. Traffic never goes through here (see proxy/io): messages are whole and small.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

/// A whole request. `path` has no query; `query` is what follows '?', not decoded.
struct Request {
  std::string method;
  std::string path;
  std::string query;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// First value of a query parameter, percent-decoded, or empty.
  std::string parameter(std::string_view name) const;
};

/// A whole answer.
struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

using Handler = std::function<Task<Response>(Request)>;
using WebSocketHandler = std::function<Task<void>(std::unique_ptr<WebSocket>)>;

struct ServiceServerOptions {
  std::size_t max_body_bytes = 1024 * 1024;
  std::size_t max_header_bytes = 16 * 1024;
  Duration idle_timeout = std::chrono::seconds(60);
  int unix_socket_mode = 0600;  ///< of a listening Unix socket
  WebSocketOptions websocket;
};

/// Routes first, then listen(); after that the routes do not change. Owner: the program. Thread:
/// the io thread. Unknown path: 404 naming it; known path with another method: 405 with Allow; too
/// large: 413 or 431.
class ServiceServer {
 public:
  explicit ServiceServer(net::io_context& io, ServiceServerOptions options = {});
  ~ServiceServer();
  ServiceServer(const ServiceServer&) = delete;
  ServiceServer& operator=(const ServiceServer&) = delete;

  /// `path` is exact, or a prefix if it ends with '/' (then it also takes what lies below).
  void route(std::string method, std::string path, Handler handler);
  void websocket(std::string path, WebSocketHandler handler);

  /// Binds and starts to accept; port 0 picks one. The address with the real port; or the error
  /// that names the address ("127.0.0.1:8080: Address already in use (EADDRINUSE)"). A stale Unix
  /// socket file is replaced, a live one is kConflict.
  Result<Endpoint> listen(const Endpoint& endpoint);

  /// Stops accepting, ends idle connections, gives running handlers until `deadline`, then cuts.
  Task<void> stop(TimePoint deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::http
