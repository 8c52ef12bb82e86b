// What the sessions of one server share. Within proxy/io; others see ProxyServer.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "proxy/core/date_line.hpp"
#include "proxy/io/proxy_server.hpp"

namespace bellows::proxy {

class Session;

/// Owner: the ProxyServer. Thread: the io thread.
struct ServerState {
  using Sessions = std::list<std::unique_ptr<Session>>;

  ServerState(http::Reactor& the_reactor, RequestHandler& the_handler,
              ProxyServerOptions the_options);

  http::Reactor& reactor;
  RequestHandler& handler;
  ProxyServerOptions options;
  ExchangeObserver observer;
  ProxyCounters counters;
  bool is_draining = false;  ///< every answer is its connection's last
  bool is_closing = false;   ///< the port is closed: nor is a first request awaited for long
  bool is_cutting = false;   ///< leave at once
  std::string scratch;       ///< for heads on their way out; used up before anybody waits
  std::string scratch_lines;
  DateLine date;
  Sessions open;
  Sessions ended;  ///< their tasks are done; freed outside of them

  /// The Date line as of now.
  std::string_view date_line();

  /// Called by a session's task as its last act.
  virtual void session_ended(Session& session) = 0;
  /// An exchange is over: a drain may be complete.
  virtual void exchange_ended() = 0;

 protected:
  ~ServerState();
};

}  // namespace bellows::proxy
