// One connection of the service side's server. Within http/io; see service_server.hpp.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/framing.hpp"
#include "http/core/head.hpp"
#include "http/io/address.hpp"
#include "http/io/message.hpp"
#include "http/io/reactor.hpp"
#include "http/io/routes.hpp"
#include "http/io/service_server.hpp"
#include "http/io/socket_connection.hpp"
#include "http/io/task.hpp"
#include "http/io/task_group.hpp"
#include "http/io/tls_connection.hpp"
#include "http/io/websocket.hpp"

namespace bellows::http {

inline constexpr std::string_view kServerIsStopping = "the server is stopping";

/// State that running handlers use and that may outlive the server. Owners: the server and each
/// running handler.
struct ServiceHandlers {
  Routes routes;
  std::list<std::weak_ptr<WebSocket>> websockets;
  bool is_stopping = false;
  bool is_aborted = false;  ///< the group was stopped: handlers leave with operation_aborted
};

/// State that the sessions of a server share. Owner: the server.
struct ServiceState {
  ServiceState(net::io_context& its_io, const ServiceServerOptions& its_options)
      : io(its_io), options(its_options), tasks(its_io) {}

  net::io_context& io;
  ServiceServerOptions options;
  std::shared_ptr<ServiceHandlers> handlers = std::make_shared<ServiceHandlers>();
  TaskGroup tasks;  ///< running handlers
};

/// Reads requests, calls their handlers, writes the responses. The server, its owner, may destroy
/// it while it waits. Thread: the io thread.
class ServiceSession {
 public:
  /// `changed` is woken when the session has ended or begins to wait for its client.
  ServiceSession(ServiceState& state, Reactor& reactor, Waiter& changed, sys::Descriptor socket,
                 const SocketAddress& peer);

  void start();
  bool is_done() const { return task_.is_done(); }
  /// Returns true while it waits for a request or streams events, so that a stopping server may end
  /// it at once.
  bool is_idle() const { return phase_ == Phase::kIdle || phase_ == Phase::kStreaming; }
  /// Returns true while it waits for its client and for no handler or end of a WebSocket.
  bool waits_for_client() const { return phase_ != Phase::kRunning; }
  /// Returns when the current phase began.
  TimePoint since() const { return since_; }
  const std::string& peer() const { return peer_; }

 private:
  /// Subject of the session's wait.
  enum class Phase : std::uint8_t {
    kIdle,        ///< its client, for TLS and a whole request head -> kReceiving, kResponding
    kReceiving,   ///< its client, for the body -> kRunning, kResponding, kStreaming
    kRunning,     ///< a handler, or the end of a WebSocket -> kResponding
    kResponding,  ///< its client, to read the response     -> kIdle
    kStreaming,   ///< the next event, or the end of its client -> kIdle
  };
  enum class Input : std::uint8_t { kBytes, kEnd };
  /// A request whose head was read, and the parts of that head that its response needs.
  struct Incoming {
    Request request;
    BodyFraming framing;
    int minor_version = 1;
    bool keeps_alive = false;
    bool expects_continue = false;
    bool is_websocket = false;
  };

  std::unique_ptr<SocketConnection> connect(sys::Descriptor socket);
  Task<void> run();
  Task<bool> serve_request();
  Task<void> serve_events(const EventSource& source, const Incoming& incoming);
  /// Returns true if the connection may take another request.
  Task<bool> respond(Response response, const Incoming& incoming, bool is_head);
  Task<bool> read_head();
  /// Returns why the request in head_ is refused; nullopt if it is accepted.
  std::optional<std::string> access_refusal() const;
  /// Returns true if the response to the request in head_ has details.
  bool may_see_detail() const;
  /// Returns the part of `text` that this client may read.
  std::string shown(std::string text) const;
  Incoming take_head();
  Task<bool> read_body(Incoming& incoming);
  Task<bool> read_chunks(std::string& body);
  Task<Response> call(const Handler& handler, Request request);
  Task<void> stream_events(EventFeed& feed, int minor_version);
  Task<bool> wait_for_event();
  Task<void> serve_websocket(const WebSocketHandler& handler, Request request);
  Task<void> reject(Response response);
  Task<Input> read_more();
  Task<bool> write_all(std::string_view bytes);
  void enter(Phase phase);
  void expect_client(Duration timeout);

  ServiceState& state_;
  Reactor& reactor_;
  Waiter& changed_;
  std::string peer_;
  int family_;  // family of its address
  Transport transport_;
  Waiter waiter_;
  TlsConnection* tls_ = nullptr;  // connection_ if it speaks TLS
  const std::unique_ptr<SocketConnection> connection_;
  Phase phase_ = Phase::kIdle;
  TimePoint since_;
  std::string input_;  // received, not yet consumed
  HeadLimits limits_;
  HeadParser parser_;
  RequestHead head_;          // views into input_
  bool sees_detail_ = false;  // may_see_detail() of the request that is served
  Task<void> task_;
};

}  // namespace bellows::http
