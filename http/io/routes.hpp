// Selects the handler of a request.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/io/event_feed.hpp"
#include "http/io/message.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

using Handler = std::function<Awaitable<Response>(Request)>;
using WebSocketHandler = std::function<Awaitable<void>(std::unique_ptr<WebSocket>)>;

/// Maps paths to handlers. A path is exact, or a prefix if it ends with '/': then it matches itself
/// and all paths below. "/" alone is exact; "/*" matches every path without another match. An exact
/// path takes precedence over a prefix, a longer prefix over a shorter one. Pure.
class Routes {
 public:
  void add(std::string method, std::string path, Handler handler);
  void add_websocket(std::string path, WebSocketHandler handler);
  void add_events(std::string path, EventSource source);

  struct NotFound {};
  struct MethodNotAllowed {
    std::string allowed;  ///< "GET, HEAD, PUT"
  };
  struct WebSocketOnly {};  ///< the path of a WebSocket, requested without an upgrade
  using Match = std::variant<const Handler*, const WebSocketHandler*, const EventSource*, NotFound,
                             MethodNotAllowed, WebSocketOnly>;

  /// Finds the handler. HEAD uses GET's handler. A request to upgrade that matches no WebSocket
  /// path is an ordinary one. The pointers are valid as long as the routes.
  Match find(std::string_view method, std::string_view path, bool wants_websocket) const;

 private:
  struct Page {
    std::map<std::string, Handler, std::less<>> by_method;
    WebSocketHandler websocket;
    EventSource events;
  };
  const Page* page_of(std::string_view path) const;

  std::map<std::string, Page, std::less<>> pages_;
};

}  // namespace bellows::http
